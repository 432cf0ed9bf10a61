package dev.stint.storage;

import java.io.File;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the log back into the database file while commits go on. Were it left to the writer, the
 * commit that does it would keep everybody waiting for two more syncs and thousands of pages. Only
 * when the log has become long is the writer held up for a moment, for the few pages that are left,
 * since SQLite begins the log anew only if all of it has been written back.
 */
final class SqliteCheckpoints implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SqliteCheckpoints.class);

  /** How many commits pass before somebody looks at how long the log is… */
  private static final int COMMITS_PER_LOOK = 50;

  /** … unless its file has grown by this much before. */
  private static final long BYTES_PER_LOOK = 8 << 20;

  /** Written back when so many pages of 4 KiB wait: one that many commits changed goes once. */
  private static final int PAGES_PER_CHECKPOINT = 2_000;

  /** From this length on the log is to begin anew. */
  private static final int LONG_LOG_PAGES = 8_000;

  private static final String LOOK = "PRAGMA wal_checkpoint(NOOP)";
  private static final String WRITE_BACK = "PRAGMA wal_checkpoint(PASSIVE)";

  /** How many pages the log has, and how many of them have been written back. */
  private record Log(int pages, int writtenBack) {}

  /** Gives a connection of this thread's own, see {@link SqliteConnections#checkpointer}. */
  interface Opener {
    Connection open() throws SQLException;
  }

  private final Opener opener;
  private final SessionPool writers;
  private final File file;
  private final Semaphore looks = new Semaphore(0);
  private final Thread thread;
  private int commits;
  private long lengthAtLook;
  private volatile boolean closed;

  /**
   * To be started.
   *
   * @param file the log
   */
  SqliteCheckpoints(Opener opener, File file, SessionPool writers) {
    this.opener = opener;
    this.file = file;
    this.writers = writers;
    thread = Thread.ofPlatform().name("stint-checkpoint").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Called by the one thread that commits. */
  void committed() {
    commits++;
    long length = file.length();
    if (commits == COMMITS_PER_LOOK || length - lengthAtLook > BYTES_PER_LOOK) {
      commits = 0;
      lengthAtLook = length;
      looks.release();
    }
  }

  private void run() {
    Connection connection = null;
    boolean isTold = false;
    while (!closed) {
      try {
        looks.acquire();
        looks.drainPermits();
        if (connection == null) {
          connection = opener.open();
        }
        look(connection);
        isTold = false;
      } catch (InterruptedException e) {
        break;
      } catch (SQLException | RuntimeException | Error e) {
        // A full disk, for example: the log grows until it works again.
        close(connection);
        connection = null;
        if (!isTold) {
          warn(e);
        }
        isTold = true;
      }
    }
    close(connection);
  }

  /** Without an end to this thread, if there is not even the memory for a line. */
  private static void warn(Throwable e) {
    try {
      log.warn("cannot write the log back into the database: {}", e.getMessage());
    } catch (RuntimeException | Error again) {
      // It is tried again, and told then.
    }
  }

  private void look(Connection connection) throws SQLException {
    Log now = ask(connection, LOOK);
    if (now.pages() - now.writtenBack() < PAGES_PER_CHECKPOINT) {
      return;
    }
    now = ask(connection, WRITE_BACK);
    if (now.pages() >= LONG_LOG_PAGES && !closed) {
      SessionPool.Slot writer = writers.take();
      try {
        ask(connection, WRITE_BACK);
      } finally {
        writers.give(writer, true);
      }
    }
  }

  private static Log ask(Connection connection, String pragma) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(pragma)) {
      result.next();
      return new Log(result.getInt(2), result.getInt(3));
    }
  }

  private static void close(@Nullable Connection connection) {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (SQLException | RuntimeException | Error e) {
      // It is given up in any case.
    }
  }

  /** Waits for a checkpoint that is under way. */
  @Override
  public void close() {
    closed = true;
    looks.release();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(20));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
