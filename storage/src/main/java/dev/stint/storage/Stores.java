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
    if (!isPostgres(db) && !Files.isRegularFile(Path.of(db))) {
      return Optional.empty();
    }
    try (Connection connection =
            isPostgres(db)
                ? new PostgresConnections(db).plain()
                : new SqliteConnections(Path.of(db).toAbsolutePath()).reader();
        PreparedStatement select = connection.prepareStatement(SETTING)) {
      select.setString(1, name);
      try (ResultSet result = select.executeQuery()) {
        return result.next() ? Optional.of(result.getString(1)) : Optional.empty();
      }
    } catch (SQLException e) {
      throw new StoreUnusableException(
          "cannot read the settings in the database; start the server of this version on it once",
          e);
    }
  }

  private static boolean isPostgres(String db) {
    return db.startsWith("jdbc:postgresql:");
  }
}
