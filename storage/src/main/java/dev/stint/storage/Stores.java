package dev.stint.storage;

import dev.stint.engine.Store;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Optional;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Opens stores. */
public final class Stores {
  private static final String SETTING = "SELECT value FROM setting WHERE name = ?";

  private Stores() {}

  /**
   * Opens a store, and makes or migrates its tables if need be.
   *
   * @param db a {@code jdbc:postgresql:} URL, or else the path of an SQLite file, which is made if
   *     it does not exist
   * @param clock the time of an SQLite store; a PostgreSQL store has the database's own
   * @throws StoreUnusableException if the database cannot be used as it is
   */
  public static Store open(String db, Clock clock) {
    return isPostgres(db) ? PostgresStore.open(db) : SqliteStore.open(db, clock);
  }

  /**
   * What the servers on a database agreed on under a name; also while one of them runs.
   *
   * @throws StoreUnusableException if the database cannot be read
   */
  public static Optional<String> setting(String db, String name) {
    return isPostgres(db) ? settingInPostgres(db, name) : settingInFile(db, name);
  }

  private static Optional<String> settingInPostgres(String db, String name) {
    PostgresConnections connections = new PostgresConnections(db);
    try (Connection connection = connections.plain()) {
      return setting(connection, name);
    } catch (SQLException e) {
      throw switch (String.valueOf(e.getSQLState())) {
        case "42P01" -> withoutTable(connections.place(), e);
        case "42501" ->
            new StoreUnusableException(
                "the user may not read the settings in "
                    + connections.place()
                    + "; name the server's own in the URL",
                e);
        default -> PostgresStore.unusable(connections, e);
      };
    }
  }

  private static Optional<String> settingInFile(String db, String name) {
    Path file = Path.of(db).toAbsolutePath().normalize();
    if (Files.notExists(file)) {
      return Optional.empty();
    }
    if (!Files.isReadable(file)) {
      throw new StoreUnusableException(file + " cannot be read; run this as its owner", null);
    }
    try (Connection connection = new SqliteConnections(file).reader()) {
      return setting(connection, name);
    } catch (SQLException e) {
      throw e instanceof SQLiteException failed
              && failed.getResultCode() == SQLiteErrorCode.SQLITE_ERROR
          ? withoutTable(file, e)
          : new StoreUnusableException(file + " cannot be read: " + SqliteStore.firstLine(e), e);
    }
  }

  private static Optional<String> setting(Connection connection, String name) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(SETTING)) {
      select.setString(1, name);
      try (ResultSet result = select.executeQuery()) {
        return result.next() ? Optional.of(result.getString(1)) : Optional.empty();
      }
    }
  }

  private static StoreUnusableException withoutTable(Object place, SQLException e) {
    return new StoreUnusableException(
        "there are no settings in " + place + "; start the server of this version on it once", e);
  }

  private static boolean isPostgres(String db) {
    return db.startsWith("jdbc:postgresql:");
  }
}
