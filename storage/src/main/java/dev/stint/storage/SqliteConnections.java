package dev.stint.storage;

import java.io.File;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteOpenMode;

/** Opens connections to an SQLite file, as its writer or as one of its readers. */
final class SqliteConnections {
  private static final int BUSY_TIMEOUT_MS = 5_000;

  /**
   * What is under way fits in, and the rest is in the cache of the operating system. More of it
   * costs: SQLite walks through its whole cache after nearly every commit that split a page, as
   * long as the file has less than a gigabyte.
   */
  private static final int CACHE_KIB = 8 * 1024;

  /**
   * A log that had to grow, as somebody read an old state for long, is cut back to this when it
   * begins anew. It is more than the log has otherwise, so that it is not cut again and again.
   */
  private static final int MAX_IDLE_LOG_BYTES = 64 << 20;

  /** Commits leave that to {@link SqliteCheckpoints}. */
  private static final String NO_CHECKPOINTS = "PRAGMA wal_autocheckpoint = 0";

  private final Path file;

  SqliteConnections(Path file) {
    this.file = file;
  }

  /** The connection that writes: every commit is on the disk before it returns. */
  Connection writer() throws SQLException {
    SQLiteConfig config = config();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setJournalSizeLimit(MAX_IDLE_LOG_BYTES);
    Connection connection = open(config);
    try (Statement statement = connection.createStatement()) {
      statement.execute(NO_CHECKPOINTS);
      connection.setAutoCommit(false);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /** A connection on which {@link SqliteCheckpoints} writes the log back, outside transactions. */
  Connection checkpointer() throws SQLException {
    return open(config());
  }

  /** A connection that reads what is committed, whatever the writer is doing. */
  Connection reader() throws SQLException {
    SQLiteConfig config = config();
    config.setReadOnly(true);
    config.resetOpenMode(SQLiteOpenMode.READWRITE);
    config.resetOpenMode(SQLiteOpenMode.CREATE);
    return open(config);
  }

  /** The file that commits go to first. */
  File log() {
    return new File(file + "-wal");
  }

  String url() {
    return "jdbc:sqlite:" + file;
  }

  private static SQLiteConfig config() {
    SQLiteConfig config = new SQLiteConfig();
    config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
    config.setBusyTimeout(BUSY_TIMEOUT_MS);
    config.setTempStore(SQLiteConfig.TempStore.MEMORY);
    config.setCacheSize(-CACHE_KIB);
    // The driver lets one thread at a time use a connection, so SQLite need not lock it again.
    config.setOpenMode(SQLiteOpenMode.NOMUTEX);
    return config;
  }

  private Connection open(SQLiteConfig config) throws SQLException {
    SqliteLibrary.load();
    return config.createConnection(url());
  }
}
