package dev.stint.storage;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;

/** A connection and the statements prepared on it. Used by one thread at a time. */
final class Session implements AutoCloseable {
  private static final int MAX_STATEMENTS = 200;

  private final Connection connection;
  private final Map<String, PreparedStatement> statements =
      LinkedHashMap.newLinkedHashMap(MAX_STATEMENTS);
  private final int shard;

  Session(Connection connection, int shard) {
    this.connection = connection;
    this.shard = shard;
  }

  Connection connection() {
    return connection;
  }

  /** Where this session keeps its part of the tally, so that writers do not wait for each other. */
  int shard() {
    return shard;
  }

  /** The statement, prepared once; it stays the session's and must not be closed. */
  PreparedStatement prepare(String sql) throws SQLException {
    PreparedStatement known = statements.remove(sql);
    PreparedStatement statement = known != null ? known : connection.prepareStatement(sql);
    statements.put(sql, statement);
    if (statements.size() > MAX_STATEMENTS) {
      Map.Entry<String, PreparedStatement> eldest = statements.entrySet().iterator().next();
      statements.remove(eldest.getKey());
      eldest.getValue().close();
    }
    return statement;
  }

  /** Closes the connection and with it all of its statements. */
  @Override
  public void close() {
    try {
      for (PreparedStatement statement : statements.values()) {
        statement.close();
      }
    } catch (SQLException e) {
      // A broken connection cannot close statements either; closing it is what counts.
    } finally {
      statements.clear();
      closeConnection();
    }
  }

  private void closeConnection() {
    try {
      connection.close();
    } catch (SQLException e) {
      // It is given up in any case.
    }
  }
}
