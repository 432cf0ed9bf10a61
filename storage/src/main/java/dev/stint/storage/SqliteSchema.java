package dev.stint.storage;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.Flyway;

/** Brings an SQLite file to the schema that this program knows. */
final class SqliteSchema {
  private SqliteSchema() {}

  /**
   * Migrates if there is something to migrate. That takes one query to see; the migration itself
   * would take most of a second even if it had nothing to do.
   */
  static void migrate(SqliteFile file, SqliteConnections connections) throws SQLException {
    if (file.isNew()) {
      claim(connections);
    }
    long version = version(connections);
    if (version > SqliteFile.SCHEMA_VERSION) {
      throw SqliteFile.newer(file.path(), version);
    }
    if (version < SqliteFile.SCHEMA_VERSION) {
      Flyway.configure(SqliteSchema.class.getClassLoader())
          .dataSource(connections.url(), "", "")
          .locations("classpath:dev/stint/storage/sqlite")
          .table("schema_history")
          .load()
          .migrate();
    }
  }

  /** Puts our mark on a new file first of all: without it the file would be refused next time. */
  private static void claim(SqliteConnections connections) throws SQLException {
    try (Connection connection = connections.writer();
        Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA application_id = " + SqliteFile.APPLICATION_ID);
      connection.commit();
    }
  }

  private static long version(SqliteConnections connections) throws SQLException {
    try (Connection connection = connections.reader();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("PRAGMA user_version")) {
      return result.next() ? result.getLong(1) : 0;
    }
  }
}
