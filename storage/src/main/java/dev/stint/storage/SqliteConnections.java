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
  private static final int WRITER_CACHE_KIB = 64 * 1024;
  private static final int READER_CACHE_KIB = 8 * 1024;

  /** Commits leave that to {@link SqliteCheckpoints}. */
  private static final String NO_CHECKPOINTS = "PRAGMA wal_autocheckpoint = 0";

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
    return open(config(READER_CACHE_KIB));
  }

  /** A connection that reads what is committed, whatever the writer is doing. */
  Connection reader() throws SQLException {
    SQLiteConfig config = config(READER_CACHE_KIB);
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
