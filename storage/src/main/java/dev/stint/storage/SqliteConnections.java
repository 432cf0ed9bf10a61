package dev.stint.storage;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteOpenMode;

/** Opens connections to an SQLite file, as its writer or as one of its readers. */
final class SqliteConnections {
  private static final int BUSY_TIMEOUT_MS = 5_000;
  private static final int WRITER_CACHE_KIB = 64 * 1024;
  private static final int READER_CACHE_KIB = 8 * 1024;

  /**
   * The log is written back after so many pages of 4 KiB. Seldom enough that a page which many
   * commits changed is written back once, and often enough that it does not take long.
   */
  private static final int CHECKPOINT_PAGES = 4_000;

  private final Path file;

  SqliteConnections(Path file) {
    this.file = file;
  }

  /** The connection that writes: every commit is on the disk before it returns. */
  Connection writer() throws SQLException {
    SQLiteConfig config = config(WRITER_CACHE_KIB);
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    Connection connection = open(config);
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA wal_autocheckpoint = " + CHECKPOINT_PAGES);
      connection.setAutoCommit(false);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /** A connection that reads what is committed, whatever the writer is doing. */
  Connection reader() throws SQLException {
    SQLiteConfig config = config(READER_CACHE_KIB);
    config.setReadOnly(true);
    config.resetOpenMode(SQLiteOpenMode.READWRITE);
    config.resetOpenMode(SQLiteOpenMode.CREATE);
    return open(config);
  }

  String url() {
    return "jdbc:sqlite:" + file;
  }

  private static SQLiteConfig config(int cacheKib) {
    SQLiteConfig config = new SQLiteConfig();
    config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
    config.setBusyTimeout(BUSY_TIMEOUT_MS);
    config.setTempStore(SQLiteConfig.TempStore.MEMORY);
    config.setCacheSize(-cacheKib);
    return config;
  }

  private Connection open(SQLiteConfig config) throws SQLException {
    return config.createConnection(url());
  }
}
