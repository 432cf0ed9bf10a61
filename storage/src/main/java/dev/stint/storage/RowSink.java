package dev.stint.storage;

import dev.stint.engine.Times;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Takes rows, value by value in the order of their {@link Columns}. */
interface RowSink {
  RowSink uuid(@Nullable UUID value) throws SQLException;

  RowSink text(@Nullable String value) throws SQLException;

  RowSink number(@Nullable Long value) throws SQLException;

  RowSink flag(boolean value) throws SQLException;

  void endRow() throws SQLException;

  default RowSink number(long value) throws SQLException {
    return number(Long.valueOf(value));
  }

  /** A moment; the one that does not come is NULL. */
  default RowSink time(long at) throws SQLException {
    return number(at == Times.NEVER ? null : Long.valueOf(at));
  }

  default RowSink nulls(Columns columns) throws SQLException {
    for (Columns.Column column : columns.list()) {
      switch (column.kind()) {
        case UUID -> uuid(null);
        case TEXT -> text(null);
        case BIGINT -> number(null);
        case BOOLEAN -> throw new IllegalArgumentException(column.name() + " is never NULL");
      }
    }
    return this;
  }
}
