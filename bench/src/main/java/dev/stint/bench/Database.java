package dev.stint.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The database under the server, and the settings that decide what survives a power cut. A figure
 * without them says nothing.
 *
 * @param where for a reader; never with a password
 * @param durability setting to value
 */
record Database(String kind, String where, Map<String, String> durability) {
  private static final String POSTGRES = "jdbc:postgresql:";

  static boolean isPostgres(String db) {
    return db.startsWith(POSTGRES);
  }

  /**
   * The stores open every SQLite file like this; the setting belongs to a connection, not to a
   * file.
   */
  static Database sqlite(String where) {
    Map<String, String> durability = new LinkedHashMap<>();
    durability.put("journal_mode", "WAL");
    durability.put("synchronous", "FULL");
    return new Database("SQLite", where, durability);
  }

  /** A server that somebody else has started. */
  static Database unknown(Target target) {
    return new Database("unknown", "whatever the server at " + target.base() + " uses", Map.of());
  }

  /** Asks a PostgreSQL for its settings. */
  static Database postgres(String url) throws RunFailedException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      Map<String, String> durability = new LinkedHashMap<>();
      for (String setting : new String[] {"synchronous_commit", "fsync", "full_page_writes"}) {
        durability.put(setting, show(statement, setting));
      }
      String kind = "PostgreSQL " + show(statement, "server_version");
      return new Database(kind, withoutSecrets(url), durability);
    } catch (SQLException e) {
      throw new RunFailedException(
          "cannot open %s: %s".formatted(withoutSecrets(url), e.getMessage()), e);
    }
  }

  /** User and password stand behind the question mark. */
  static String withoutSecrets(String url) {
    return url.replaceFirst("\\?.*", "").replaceFirst("//[^/@]*@", "//");
  }

  private static String show(Statement statement, String setting) throws SQLException {
    try (ResultSet rows = statement.executeQuery("SHOW " + setting)) {
      return rows.next() ? rows.getString(1) : "unknown";
    }
  }
}
