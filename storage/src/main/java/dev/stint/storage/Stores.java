package dev.stint.storage;

import dev.stint.engine.Store;
import java.time.Clock;

/** Opens stores. */
public final class Stores {
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
    return db.startsWith("jdbc:postgresql:") ? PostgresStore.open(db) : SqliteStore.open(db, clock);
  }
}
