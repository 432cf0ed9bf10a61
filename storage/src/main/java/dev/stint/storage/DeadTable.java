package dev.stint.storage;

import dev.stint.engine.Store.DeadGroup;
import dev.stint.engine.Store.DeadLetter;
import dev.stint.engine.Store.DeadPlace;
import dev.stint.engine.Store.DeadSample;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How FAILED jobs are kept by group. Each writer counts in a shard of its own, as with the tally; a
 * shard that only ever saw jobs leave has a negative count and no texts.
 */
final class DeadTable {
  static final Columns GROUP =
      Columns.texts("fingerprint")
          .and(Columns.numbers("shard", "n"))
          .and(Columns.texts("code", "shape"))
          .and(Columns.numbers("first_at", "last_at"))
          .and(Columns.uuids("sample_job"))
          .and(Columns.texts("sample_queue", "sample_message"));

  /** Binds: the time and again the time of the last group before, its fingerprint, limit. */
  private static final String GROUPS =
      """
      SELECT fingerprint, max(code), max(shape), sum(n), min(first_at) FROM dead_group
      GROUP BY fingerprint
      HAVING sum(n) > 0 AND (max(last_at) < ? OR (max(last_at) = ? AND fingerprint > ?))
      ORDER BY max(last_at) DESC, fingerprint LIMIT ?
      """;

  private static final String SAMPLE =
      """
      SELECT sample_job, sample_queue, sample_message, last_at FROM dead_group
      WHERE fingerprint = ? AND sample_job IS NOT NULL ORDER BY last_at DESC LIMIT 1
      """;

  static final String JOBS =
      """
      SELECT job_id FROM dead_letter WHERE fingerprint = ? AND job_id < ?
      ORDER BY job_id DESC LIMIT ?
      """;

  private DeadTable() {}

  /** What the letters of one group add to it; the last of them is its sample. */
  static void write(RowSink row, List<DeadLetter> letters, int shard) throws SQLException {
    DeadLetter first = letters.getFirst();
    DeadSample sample = letters.getLast().sample();
    row.text(first.fingerprint().id())
        .number(shard)
        .number(letters.size())
        .text(first.fingerprint().code())
        .text(first.fingerprint().shape())
        .number(first.sample().at())
        .number(sample.at())
        .uuid(sample.jobId())
        .text(sample.queue())
        .text(sample.message())
        .endRow();
  }

  static List<DeadGroup> groups(
      Session session, Dialect dialect, @Nullable DeadPlace after, int limit) throws SQLException {
    PreparedStatement select = session.prepare(GROUPS);
    long last = after == null ? Long.MAX_VALUE : after.last();
    select.setLong(1, last);
    select.setLong(2, last);
    select.setString(3, after == null ? "" : after.fingerprint());
    select.setInt(4, limit);
    List<DeadGroup> found = new ArrayList<>();
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (row.next()) {
        String fingerprint = row.text();
        found.add(
            new DeadGroup(
                fingerprint, row.text(), row.text(), row.number(), row.number(), NO_SAMPLE));
      }
    }
    List<DeadGroup> groups = new ArrayList<>();
    for (DeadGroup group : found) {
      groups.add(
          new DeadGroup(
              group.fingerprint(),
              group.code(),
              group.shape(),
              group.count(),
              group.first(),
              sample(session, dialect, group.fingerprint())));
    }
    return groups;
  }

  /** Stands for one until it is read, and if it went meanwhile. */
  private static final DeadSample NO_SAMPLE = new DeadSample(new UUID(0, 0), "", null, 0);

  private static DeadSample sample(Session session, Dialect dialect, String fingerprint)
      throws SQLException {
    PreparedStatement select = session.prepare(SAMPLE);
    select.setString(1, fingerprint);
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      return row.next()
          ? new DeadSample(row.uuid(), row.text(), row.textOrNull(), row.number())
          : NO_SAMPLE;
    }
  }

  static List<UUID> jobs(
      Session session, Dialect dialect, String fingerprint, @Nullable UUID before, int limit)
      throws SQLException {
    PreparedStatement select = session.prepare(JOBS);
    select.setString(1, fingerprint);
    dialect.bind(select, 2, before == null ? SqlLists.AFTER_ALL : before);
    select.setInt(3, limit);
    List<UUID> jobs = new ArrayList<>();
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (row.next()) {
        jobs.add(row.uuid());
      }
    }
    return jobs;
  }
}
