package dev.stint.storage;

import dev.stint.engine.Mishap;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Keeps the table of live jobs small. Each change of a job leaves its former row behind, two or
 * more in a job's life. PostgreSQL looks for such rows once a minute; at thousands of jobs a second
 * the table and its indexes have by then grown to many times of what lives in them, more than fits
 * into the database's memory, and cleaning that up slows everybody down for seconds. Cleaned every
 * few thousand changes they stay as small as they are. Where this may not be done, or cannot, it is
 * left to PostgreSQL.
 */
final class PostgresVacuum implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PostgresVacuum.class);

  /**
   * Not truncated, as it grows again at once, and nobody may use it meanwhile. Who finds another
   * control plane at it leaves it to that one.
   */
  private static final String VACUUM = "VACUUM (SKIP_LOCKED, TRUNCATE off, PARALLEL 0) job_live";

  /** After each it rests for so many times as long as it took, so that it never takes over. */
  private static final int REST = 4;

  private final PostgresConnections connections;
  private final long changesPerVacuum;
  private final AtomicLong changes = new AtomicLong();
  private final Semaphore calls = new Semaphore(0);
  private final Thread thread;
  private volatile @Nullable Statement underWay;
  private volatile boolean closed;

  PostgresVacuum(PostgresConnections connections, long changesPerVacuum) {
    this.connections = connections;
    this.changesPerVacuum = changesPerVacuum;
    thread = Thread.ofPlatform().name("stint-vacuum").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** So many jobs were changed by a commit. */
  void changed(int rows) {
    if (rows > 0 && changes.addAndGet(rows) >= changesPerVacuum && calls.availablePermits() == 0) {
      calls.release();
    }
  }

  private void run() {
    while (!closed) {
      try {
        calls.acquire();
        calls.drainPermits();
        long nanos = runOnce();
        // Whoever closes it need not wait for the end of the rest.
        TimeUnit.NANOSECONDS.sleep(REST * nanos);
      } catch (InterruptedException e) {
        return;
      } catch (SQLException | RuntimeException | Error e) {
        // The database is away, or there is no memory: it is tried again after as many changes.
        Mishap.logAt(Level.DEBUG, log, "cannot vacuum the live jobs, PostgreSQL will", e);
      }
    }
  }

  /** Vacuums if enough has changed; returns how long that took. */
  long runOnce() throws SQLException {
    if (closed || changes.get() < changesPerVacuum) {
      return 0;
    }
    changes.set(0);
    long begin = System.nanoTime();
    // A connection of its own for each: between them may be days.
    try (Connection connection = connections.patient().getConnection();
        Statement statement = connection.createStatement()) {
      underWay = statement;
      if (!closed) {
        statement.execute(VACUUM);
      }
    } finally {
      underWay = null;
    }
    return System.nanoTime() - begin;
  }

  /** Gives up what is under way: it has no effect on what is stored. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    Statement statement = underWay;
    try {
      if (statement != null) {
        statement.cancel();
      }
      thread.join(TimeUnit.SECONDS.toMillis(5));
    } catch (SQLException e) {
      // Then it ends by itself, or with the connection.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
