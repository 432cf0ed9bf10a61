package dev.stint.storage;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.Flyway;

/** Brings a PostgreSQL schema to what this program knows, or says why it cannot. */
final class PostgresSchema {
  static final int VERSION = 10;
  private static final int OLDEST_SERVER = 14;

  private static final String IS_THERE =
      "SELECT to_regclass(quote_ident(?) || '.schema_history') IS NOT NULL";
  private static final String NEWEST =
      "SELECT coalesce(max(CAST(version AS integer)), 0) FROM schema_history WHERE success";
  private static final String IS_READ_ONLY =
      "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'";
  private static final String HAS_SCHEMA =
      "SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = ?)";

  private final PostgresConnections connections;

  PostgresSchema(PostgresConnections connections) {
    this.connections = connections;
  }

  void migrate() throws SQLException {
    try (Connection connection = connections.patient().getConnection()) {
      checkServer(connection);
      if (needsMigration(connection)) {
        migrateAlone(connection);
      }
    }
  }

  private void checkServer(Connection connection) throws SQLException {
    int server = connection.getMetaData().getDatabaseMajorVersion();
    if (server < OLDEST_SERVER) {
      throw new StoreUnusableException(
          "%s runs PostgreSQL %d; use version %d or newer"
              .formatted(connections.place(), server, OLDEST_SERVER),
          null);
    }
    if (isReadOnly(connection)) {
      throw new StoreUnusableException(
          connections.place() + " is read-only; name the primary server", null);
    }
  }

  static boolean isReadOnly(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(IS_READ_ONLY)) {
      return result.next() && result.getBoolean(1);
    }
  }

  private boolean needsMigration(Connection connection) throws SQLException {
    int version = version(connection);
    if (version > VERSION) {
      throw new StoreUnusableException(
          "%s was written by a newer version of Stint (schema %d, this one knows %d); use that one"
              .formatted(connections.place(), version, VERSION),
          null);
    }
    return version < VERSION;
  }

  private int version(Connection connection) throws SQLException {
    if (!isTrue(connection, IS_THERE)) {
      return 0;
    }
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(NEWEST)) {
      return result.next() ? result.getInt(1) : 0;
    }
  }

  private boolean isTrue(Connection connection, String question) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(question)) {
      select.setString(1, connections.schema());
      try (ResultSet result = select.executeQuery()) {
        return result.next() && result.getBoolean(1);
      }
    }
  }

  /** Several control planes may start at once on an empty database: one makes it, others wait. */
  private void migrateAlone(Connection connection) throws SQLException {
    lock(connection, "SELECT pg_advisory_lock(?)");
    try {
      if (!needsMigration(connection)) {
        return;
      }
      if (!isTrue(connection, HAS_SCHEMA)) {
        try (Statement statement = connection.createStatement()) {
          statement.execute(
              "CREATE SCHEMA " + statement.enquoteIdentifier(connections.schema(), true));
        }
      }
      Flyway.configure(PostgresSchema.class.getClassLoader())
          .dataSource(connections.patient())
          .locations("classpath:dev/stint/storage/postgres")
          .table("schema_history")
          .defaultSchema(connections.schema())
          .createSchemas(false)
          .load()
          .migrate();
    } finally {
      lock(connection, "SELECT pg_advisory_unlock(?)");
    }
  }

  private void lock(Connection connection, String how) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(how)) {
      statement.setLong(1, connections.advisoryKey("schema"));
      statement.execute();
    }
  }
}
