package dev.stint.storage;

import dev.stint.engine.Skills;
import dev.stint.engine.Store.Sighting;
import dev.stint.engine.Worker;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;

/** How a {@link Worker} becomes a row of {@code worker} and a row a worker. */
final class WorkerTable {
  private static final Columns ID = Columns.texts("worker_id");
  private static final Columns SKILLS =
      Columns.flags("commands_only").and(Columns.texts("capabilities"));

  /** What every sighting changes. */
  static final Columns SEEN_VALUES =
      Columns.flags("online").and(Columns.numbers("last_seen", "due_at"));

  /** What changes in a row, all but the id and when it was first seen. */
  static final Columns VALUES =
      SKILLS
          .and(Columns.numbers("slots"))
          .and(Columns.texts("nonce_hash", "name", "token_hash"))
          .and(Columns.flags("revoked"))
          .and(Columns.numbers("registered_at", "seq"))
          .and(Columns.texts("metrics"))
          .and(Columns.flags("draining"))
          .and(SEEN_VALUES);

  static final Columns ALL = ID.and(Columns.numbers("first_seen")).and(VALUES);

  /** What a row must have, but for what every sighting changes. */
  static final Columns LASTING = ID.and(Columns.numbers("first_seen")).and(SKILLS);

  /** A worker that was seen with its skills, and may be new. */
  static final Columns SIGHTING = LASTING.and(SEEN_VALUES);

  /** What it changes in a worker that is known. */
  static final Columns SIGHTING_VALUES = SKILLS.and(SEEN_VALUES);

  /** A worker that was seen; its id comes last, as statements that update name it last. */
  static final Columns SEEN = SEEN_VALUES.and(ID);

  private WorkerTable() {}

  static void write(RowSink row, Worker worker) throws SQLException {
    row.text(worker.id()).number(worker.firstSeen());
    writeSkills(row, worker.skills());
    row.number(worker.slots())
        .text(worker.nonceHash())
        .text(worker.name())
        .text(worker.tokenHash())
        .flag(worker.revoked())
        .number(worker.registeredAt())
        .number(worker.seq())
        .text(worker.metrics())
        .flag(worker.draining())
        .flag(worker.online())
        .number(worker.lastSeen())
        .time(worker.dueAt())
        .endRow();
  }

  static void writeSighting(RowSink row, Sighting sighting) throws SQLException {
    row.text(sighting.workerId()).number(sighting.at());
    writeSkills(row, Objects.requireNonNull(sighting.skills()));
    row.flag(true).number(sighting.at()).time(sighting.silentAt()).endRow();
  }

  static void writeSeen(RowSink row, Sighting sighting) throws SQLException {
    row.flag(true)
        .number(sighting.at())
        .time(sighting.silentAt())
        .text(sighting.workerId())
        .endRow();
  }

  private static void writeSkills(RowSink row, Skills skills) throws SQLException {
    row.flag(skills.commandsOnly())
        .text(JsonTexts.write(skills.capabilities().stream().sorted().toList()));
  }

  static Worker read(RowReader row) throws SQLException {
    String id = row.text();
    long firstSeen = row.number();
    Skills skills = new Skills(row.flag(), Set.copyOf(JsonTexts.read(row.text())));
    int slots = row.integer();
    String nonceHash = row.textOrNull();
    String name = row.textOrNull();
    String tokenHash = row.textOrNull();
    boolean revoked = row.flag();
    long registeredAt = row.number();
    long seq = row.number();
    String metrics = row.textOrNull();
    boolean draining = row.flag();
    boolean online = row.flag();
    long lastSeen = row.number();
    return new Worker(
        id,
        skills,
        slots,
        nonceHash,
        name,
        tokenHash,
        revoked,
        firstSeen,
        lastSeen,
        registeredAt,
        seq,
        metrics,
        online,
        row.time(),
        draining);
  }
}
