package dev.stint.storage;

import dev.stint.engine.Event;
import dev.stint.engine.EventType;
import dev.stint.engine.JobState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How an {@link Event} becomes a row of {@code event} and a row an event. */
final class EventTable {
  /** What is written; {@code seq} is given by the database. */
  static final Columns NEW =
      Columns.uuids("job_id")
          .and(Columns.numbers("at"))
          .and(Columns.texts("type", "from_state", "to_state"))
          .and(Columns.numbers("fence"))
          .and(Columns.texts("worker_id", "reason", "data", "request_id"));

  static final Columns ALL = Columns.numbers("seq").and(NEW);

  private EventTable() {}

  static void write(RowSink row, Event event) throws SQLException {
    row.uuid(event.jobId())
        .number(event.at())
        .text(event.type().word())
        .text(nameOrNull(event.from()))
        .text(nameOrNull(event.to()))
        .number(event.fence())
        .text(event.workerId())
        .text(event.reason())
        .text(event.data())
        .text(event.requestId())
        .endRow();
  }

  static Event read(RowReader row) throws SQLException {
    return new Event(
        row.number(),
        row.uuidOrNull(),
        row.number(),
        EventType.valueOf(row.text().toUpperCase(Locale.ROOT)),
        stateOrNull(row.textOrNull()),
        stateOrNull(row.textOrNull()),
        row.number(),
        row.textOrNull(),
        row.textOrNull(),
        row.textOrNull(),
        row.textOrNull());
  }

  /** Reads what a statement finds, up to the event that makes it long. */
  static List<Event> readPage(PreparedStatement select, Dialect dialect) throws SQLException {
    dialect.fetchInParts(select);
    List<Event> events = new ArrayList<>();
    long chars = 0;
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (chars < Event.MAX_PAGE_CHARS && row.next()) {
        Event event = read(row);
        events.add(event);
        chars += event.length();
      }
    }
    return events;
  }

  private static @Nullable String nameOrNull(@Nullable JobState state) {
    return state == null ? null : state.name();
  }

  private static @Nullable JobState stateOrNull(@Nullable String name) {
    return name == null ? null : JobState.valueOf(name);
  }
}
