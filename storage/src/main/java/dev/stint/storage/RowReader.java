package dev.stint.storage;

import dev.stint.engine.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the current row of a result, value by value in the order of its {@link Columns}. */
final class RowReader {
  private final ResultSet result;
  private final Dialect dialect;
  private int column;

  RowReader(ResultSet result, Dialect dialect) {
    this.result = result;
    this.dialect = dialect;
  }

  /** Goes to the next row; false if there is none. */
  boolean next() throws SQLException {
    column = 0;
    return result.next();
  }

  UUID uuid() throws SQLException {
    return Objects.requireNonNull(uuidOrNull());
  }

  @Nullable UUID uuidOrNull() throws SQLException {
    return dialect.uuid(result, ++column);
  }

  String text() throws SQLException {
    return Objects.requireNonNull(textOrNull());
  }

  @Nullable String textOrNull() throws SQLException {
    return result.getString(++column);
  }

  long number() throws SQLException {
    return result.getLong(++column);
  }

  int integer() throws SQLException {
    return result.getInt(++column);
  }

  @Nullable Integer integerOrNull() throws SQLException {
    int value = result.getInt(++column);
    return result.wasNull() ? null : Integer.valueOf(value);
  }

  long time() throws SQLException {
    long at = result.getLong(++column);
    return at == 0 && result.wasNull() ? Times.NEVER : at;
  }

  boolean flag() throws SQLException {
    return result.getBoolean(++column);
  }

  void skip(int columns) {
    column += columns;
  }
}
