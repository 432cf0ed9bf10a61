package dev.stint.storage;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;

/** Opens connections to a PostgreSQL database, for writing, reading or listening. */
final class PostgresConnections {
  private static final String DEFAULT_SCHEMA = "stint";
  private static final int CONNECT_TIMEOUT_SECONDS = 5;
  private static final int SOCKET_TIMEOUT_SECONDS = 30;
  private static final int MAX_SHARDS = 256;

  /** What a commit of many jobs writes goes out at once: each piece would wake the other side. */
  private static final int SEND_BUFFER_BYTES = 64 << 10;

  /**
   * Our statements find rows by index, whatever the planner believes of a table that was just made
   * and has no statistics yet. A plan is made once, for arrays of unknown length. Waits for locks
   * end, and so do transactions of a control plane that has gone silent with its locks held.
   */
  private static final String SETTINGS =
      """
      SET plan_cache_mode = force_generic_plan;
      SET enable_seqscan = off;
      SET enable_bitmapscan = off;
      SET enable_hashjoin = off;
      SET enable_mergejoin = off;
      SET jit = off;
      SET lock_timeout = '1s';
      SET idle_in_transaction_session_timeout = '10s'
      """;

  /** Takes the first number that no other live connection has taken. */
  private static final String TAKE_SHARD =
      """
      SELECT n FROM generate_series(1, ?) AS n WHERE pg_try_advisory_lock(?, n) LIMIT 1
      """;

  private final PGSimpleDataSource source;
  private final PGSimpleDataSource patient;
  private final String schema;

  PostgresConnections(String url) {
    Properties given = Driver.parseURL(url, null);
    if (given == null) {
      throw new StoreUnusableException(
          "this is not a PostgreSQL URL; write jdbc:postgresql://host:port/database", null);
    }
    schema = schema(PGProperty.CURRENT_SCHEMA.getOrDefault(given));
    source = source(url, given);
    patient = source(url, given);
    patient.setSocketTimeout(0);
  }

  private PGSimpleDataSource source(String url, Properties given) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url);
    source.setCurrentSchema('"' + schema.replace("\"", "\"\"") + '"');
    source.setApplicationName("stint");
    source.setTcpKeepAlive(true);
    if (!PGProperty.BINARY_TRANSFER_ENABLE.isPresent(given)) {
      source.setBinaryTransferEnable(Integer.toString(UuidArray.OID));
    }
    if (!PGProperty.CONNECT_TIMEOUT.isPresent(given)) {
      source.setConnectTimeout(CONNECT_TIMEOUT_SECONDS);
    }
    if (!PGProperty.MAX_SEND_BUFFER_SIZE.isPresent(given)) {
      source.setMaxSendBufferSize(SEND_BUFFER_BYTES);
    }
    if (!PGProperty.SOCKET_TIMEOUT.isPresent(given)) {
      source.setSocketTimeout(SOCKET_TIMEOUT_SECONDS);
    }
    return source;
  }

  /** The first schema that the URL says, by PostgreSQL's rule: small letters unless in quotes. */
  private static String schema(@Nullable String path) {
    if (path == null || path.isBlank()) {
      return DEFAULT_SCHEMA;
    }
    String first = path.split(",", 2)[0].strip();
    return first.startsWith("\"")
        ? first.substring(1, first.length() - 1).replace("\"\"", "\"")
        : first.toLowerCase(Locale.ROOT);
  }

  /** Where it is, without user and password. */
  String place() {
    return "%s:%d/%s"
        .formatted(
            source.getServerNames()[0], source.getPortNumbers()[0], source.getDatabaseName());
  }

  String schema() {
    return schema;
  }

  String settings() {
    return SETTINGS;
  }

  PGSimpleDataSource source() {
    return source;
  }

  /** For what may take as long as it takes: changing tables with millions of rows. */
  PGSimpleDataSource patient() {
    return patient;
  }

  /** A connection as it comes. */
  Connection plain() throws SQLException {
    return source.getConnection();
  }

  /** Carries out statements in a transaction of their own. */
  void run(List<String> statements) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(SETTINGS);
      connection.setAutoCommit(false);
      for (String sql : statements) {
        statement.execute(sql);
      }
      connection.commit();
    }
  }

  /** A session that writes, with a shard of the tally that is its own while it lives. */
  Session writer() throws SQLException {
    Connection connection = source.getConnection();
    try (Statement statement = connection.createStatement()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      statement.execute(SETTINGS);
      int shard = takeShard(connection);
      connection.setAutoCommit(false);
      return new Session(connection, shard);
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  private int takeShard(Connection connection) throws SQLException {
    try (PreparedStatement take = connection.prepareStatement(TAKE_SHARD)) {
      take.setInt(1, MAX_SHARDS);
      take.setInt(2, advisoryKey("tally"));
      try (ResultSet result = take.executeQuery()) {
        return result.next() ? result.getInt(1) : 0;
      }
    }
  }

  /** A number for locks that all control planes on this schema share. */
  int advisoryKey(String purpose) {
    return ("stint " + schema + " " + purpose).hashCode();
  }
}
