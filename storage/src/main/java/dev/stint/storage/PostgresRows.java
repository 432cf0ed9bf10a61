package dev.stint.storage;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Rows to be sent to PostgreSQL column by column: as one array, or as one value where all rows have
 * the same, which costs the database far less.
 */
final class PostgresRows implements RowSink {
  private final Columns columns;
  private final List<@Nullable Object[]> rows = new ArrayList<>();
  private @Nullable Object[] row;
  private int column;

  PostgresRows(Columns columns) {
    this.columns = columns;
    row = new Object[columns.size()];
  }

  @Override
  public RowSink uuid(@Nullable UUID value) {
    return add(value);
  }

  @Override
  public RowSink text(@Nullable String value) {
    return add(value);
  }

  @Override
  public RowSink number(@Nullable Long value) {
    return add(value);
  }

  @Override
  public RowSink flag(boolean value) {
    return add(value);
  }

  private RowSink add(@Nullable Object value) {
    row[column++] = value;
    return this;
  }

  @Override
  public void endRow() {
    rows.add(row);
    row = new Object[columns.size()];
    column = 0;
  }

  int rows() {
    return rows.size();
  }

  /** The columns that have not the same value in all rows. */
  BitSet varying() {
    BitSet varying = new BitSet(columns.size());
    @Nullable Object[] first = rows.getFirst();
    for (int i = 0; i < first.length; i++) {
      for (@Nullable Object[] other : rows) {
        if (!Objects.equals(first[i], other[i])) {
          varying.set(i);
          break;
        }
      }
    }
    return varying;
  }

  /** Binds one value for each column that is not among these; returns the parameter after it. */
  int bindValues(PreparedStatement statement, int parameter, BitSet arrays) throws SQLException {
    int next = parameter;
    for (int i = arrays.nextClearBit(0); i < columns.size(); i = arrays.nextClearBit(i + 1)) {
      bindValue(statement, next++, columns.list().get(i).kind(), rows.getFirst()[i]);
    }
    return next;
  }

  /** Binds one array for each column that is; returns the parameter after it. */
  int bindArrays(PreparedStatement statement, int parameter, BitSet arrays) throws SQLException {
    int next = parameter;
    for (int i = arrays.nextSetBit(0); i >= 0; i = arrays.nextSetBit(i + 1)) {
      bindArray(statement, next++, columns.list().get(i).kind(), i);
    }
    return next;
  }

  private static void bindValue(
      PreparedStatement statement, int parameter, Columns.Kind kind, @Nullable Object value)
      throws SQLException {
    if (value == null) {
      statement.setNull(
          parameter,
          switch (kind) {
            case UUID -> Types.OTHER;
            case TEXT -> Types.VARCHAR;
            case BIGINT -> Types.BIGINT;
            case BOOLEAN -> Types.BOOLEAN;
          });
    } else {
      statement.setObject(parameter, value);
    }
  }

  private void bindArray(PreparedStatement statement, int parameter, Columns.Kind kind, int place)
      throws SQLException {
    // The driver sends arrays of these very types in binary; an Object[] it would spell out.
    switch (kind) {
      case UUID ->
          statement.setObject(parameter, new UuidArray(fill(new UUID[rows.size()], place)));
      case TEXT -> setArray(statement, parameter, "text", fill(new String[rows.size()], place));
      case BIGINT -> setArray(statement, parameter, "bigint", fill(new Long[rows.size()], place));
      case BOOLEAN -> setArray(statement, parameter, "bool", fill(new Boolean[rows.size()], place));
    }
  }

  private static void setArray(
      PreparedStatement statement, int parameter, String type, @Nullable Object[] values)
      throws SQLException {
    Connection connection = statement.getConnection();
    statement.setArray(parameter, connection.createArrayOf(type, values));
  }

  @SuppressWarnings("unchecked") // a column has values of its kind only
  private <T> @Nullable T[] fill(@Nullable T[] values, int place) {
    for (int i = 0; i < values.length; i++) {
      values[i] = (T) rows.get(i)[place];
    }
    return values;
  }
}
