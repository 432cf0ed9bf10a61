package dev.stint.storage;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Rows for one statement, executed once for each. */
final class SqliteBatch implements RowSink {
  private final PreparedStatement statement;
  private int parameter;
  private int rows;

  SqliteBatch(PreparedStatement statement) throws SQLException {
    this.statement = statement;
    statement.clearBatch();
  }

  @Override
  public RowSink uuid(@Nullable UUID value) throws SQLException {
    if (value == null) {
      statement.setNull(++parameter, Types.BLOB);
    } else {
      statement.setBytes(++parameter, SqliteDialect.bytes(value));
    }
    return this;
  }

  @Override
  public RowSink text(@Nullable String value) throws SQLException {
    statement.setString(++parameter, value);
    return this;
  }

  @Override
  public RowSink number(@Nullable Long value) throws SQLException {
    if (value == null) {
      statement.setNull(++parameter, Types.BIGINT);
    } else {
      statement.setLong(++parameter, value);
    }
    return this;
  }

  @Override
  public RowSink flag(boolean value) throws SQLException {
    statement.setInt(++parameter, value ? 1 : 0);
    return this;
  }

  @Override
  public void endRow() throws SQLException {
    statement.addBatch();
    parameter = 0;
    rows++;
  }

  int rows() {
    return rows;
  }

  /** Writes the rows; returns how many it changed in the database. */
  int execute() throws SQLException {
    return IntStream.of(statement.executeBatch()).sum();
  }
}
