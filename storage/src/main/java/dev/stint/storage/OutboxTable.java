package dev.stint.storage;

import dev.stint.engine.Store.Note;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** How a {@link Note} becomes a row of {@code outbox} and a row a note. */
final class OutboxTable {
  /** What is written; {@code seq} is given by the database. */
  static final Columns NEW =
      Columns.numbers("at").and(Columns.uuids("job_id")).and(Columns.texts("worker_id", "queue"));

  private static final String OLDEST =
      "SELECT seq, %s FROM outbox WHERE seq >= ? ORDER BY seq LIMIT ?".formatted(NEW.names());

  private OutboxTable() {}

  static void write(RowSink row, Note note) throws SQLException {
    row.number(note.at()).uuid(note.jobId()).text(note.workerId()).text(note.queue()).endRow();
  }

  /** In PostgreSQL's index those that are gone stay until a vacuum: each look walks along them. */
  static List<Note> oldest(Session session, Dialect dialect, long from, int limit)
      throws SQLException {
    PreparedStatement select = session.prepare(OLDEST);
    select.setLong(1, from);
    select.setInt(2, limit);
    List<Note> notes = new ArrayList<>();
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (row.next()) {
        notes.add(
            new Note(
                row.number(), row.number(), row.uuidOrNull(), row.textOrNull(), row.textOrNull()));
      }
    }
    return notes;
  }
}
