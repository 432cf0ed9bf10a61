package dev.stint.storage;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Rows turned into columns, each to be bound as one array. */
final class PostgresRows implements RowSink {
  private final Columns columns;
  private final List<List<@Nullable Object>> values = new ArrayList<>();
  private int column;
  private int rows;

  PostgresRows(Columns columns) {
    this.columns = columns;
    for (int i = 0; i < columns.size(); i++) {
      values.add(new ArrayList<>());
    }
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
    values.get(column++).add(value);
    return this;
  }

  @Override
  public void endRow() {
    column = 0;
    rows++;
  }

  int rows() {
    return rows;
  }

  /** Binds one array per column from {@code parameter} on, and returns the parameter after it. */
  int bind(PreparedStatement statement, int parameter) throws SQLException {
    Connection connection = statement.getConnection();
    int next = parameter;
    for (int i = 0; i < values.size(); i++) {
      Columns.Kind kind = columns.list().get(i).kind();
      List<@Nullable Object> list = values.get(i);
      // The driver sends arrays of these very types in binary; an Object[] it would spell out.
      Object[] array =
          switch (kind) {
            case UUID -> list.toArray(new UUID[0]);
            case TEXT -> list.toArray(new String[0]);
            case BIGINT -> list.toArray(new Long[0]);
            case BOOLEAN -> list.toArray(new Boolean[0]);
          };
      String type = kind == Columns.Kind.BOOLEAN ? "bool" : kind.sqlName();
      statement.setArray(next++, connection.createArrayOf(type, array));
    }
    return next;
  }
}
