package dev.stint.storage;

import dev.stint.engine.Event;
import dev.stint.engine.StoreUnavailableException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.flywaydb.core.api.FlywayException;

/**
 * The store in one SQLite file: one connection writes, a few read, and no other process may have it
 * open. There is no other control plane to tell anything.
 */
final class SqliteStore extends SqlStore {
  private static final int READERS = 4;

  /** Only this process writes: what it remembers is what is stored. */
  static final long ONE_VERSION = 0;

  private final SqliteFile file;
  private final SqliteDialect dialect;
  private final NeedsCatalog catalog;
  private final JobCache cache = new JobCache();
  private final SessionPool readers;
  private final ExecutorService readerThreads =
      Executors.newFixedThreadPool(
          READERS, Thread.ofPlatform().name("stint-reader-", 1).daemon().factory());
  private final SqliteCheckpoints checkpoints;
  private final Clock clock;
  private long dataVersion;

  private SqliteStore(
      SqliteFile file,
      SqliteConnections connections,
      SqliteDialect dialect,
      NeedsCatalog catalog,
      Clock clock) {
    super(
        dialect, new SessionPool(1, () -> new Session(connections.writer(), 0)), READERS, catalog);
    this.file = file;
    this.dialect = dialect;
    this.catalog = catalog;
    this.clock = clock;
    readers = new SessionPool(READERS, () -> new Session(connections.reader(), 0));
    checkpoints =
        new SqliteCheckpoints(connections::checkpointer, connections.log(), writerSessions());
  }

  static SqliteStore open(String db, Clock clock) {
    SqliteFile file = SqliteFile.take(db);
    try {
      SqliteConnections connections = new SqliteConnections(file.path());
      SqliteSchema.migrate(file, connections);
      SqliteDialect dialect = new SqliteDialect();
      NeedsCatalog catalog = new NeedsCatalog(dialect);
      SqliteStore store = new SqliteStore(file, connections, dialect, catalog, clock);
      try {
        store.openWriter();
        return store;
      } catch (RuntimeException e) {
        store.close();
        throw e;
      }
    } catch (SQLException | FlywayException | StoreUnavailableException e) {
      file.close();
      throw new StoreUnusableException(
          file.path() + " cannot be opened: " + firstLine(e) + "; " + SqliteDialect.advice(e), e);
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  static String firstLine(Exception e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }

  /** The writer keeps the log open, which the readers need to be there. */
  private void openWriter() {
    file.holdInPlace();
    transact(transaction -> ((SqliteTransaction) transaction).forgetEmptyCounts());
    resumeTime();
    checkpoints.start();
  }

  @Override
  public int writers() {
    return 1;
  }

  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public long now() {
    return read(session -> {
      file.checkInPlace();
      session.prepare("SELECT 1 FROM needs LIMIT 1").executeQuery().close();
      return time().at(clock.millis());
    });
  }

  @Override
  public void announce(List<Ready> ready) {}

  @Override
  public void onAnnouncement(Consumer<List<Ready>> listener) {}

  @Override
  public void announceNews(List<Event> events) {}

  @Override
  public void announceInterest() {}

  @Override
  public void onNews(Consumer<Collection<UUID>> listener) {}

  @Override
  public void close() {
    checkpoints.close();
    readers.close();
    readerThreads.shutdown();
    writerSessions().close();
    file.close();
  }

  /** Nobody else should write to the file. If somebody did all the same, the cache is void. */
  @Override
  SqlTransaction begin(Session session) throws SQLException {
    file.checkInPlace();
    try (ResultSet result = session.prepare("PRAGMA data_version").executeQuery()) {
      result.next();
      long version = result.getLong(1);
      if (version != dataVersion) {
        dataVersion = version;
        cache.forget();
      }
    }
    return new SqliteTransaction(session, dialect, catalog, cache, time().at(clock.millis()));
  }

  @Override
  void committed(SqlTransaction transaction) {
    SqliteTransaction done = (SqliteTransaction) transaction;
    done.addedNeeds().forEach((needs, id) -> catalog.known().learn(id, needs));
    done.saved().forEach(changes -> cache.learn(changes, ONE_VERSION));
    checkpoints.committed();
  }

  @Override
  void rolledBack() {
    forget();
  }

  @Override
  void forget() {
    cache.forget();
  }

  @Override
  boolean isAlive(Session session) {
    return true;
  }

  /**
   * SQLite is native code, which keeps the thread that carries a virtual one for as long as it
   * looks. There are only as many of those as processors: were it done on them, two long lists
   * would keep every request waiting. So whoever is virtual lets another thread look.
   */
  @Override
  <T> T read(SqlWork<T> work) {
    SessionPool.Slot slot = readers.take();
    if (!Thread.currentThread().isVirtual()) {
      return readIn(slot, work);
    }
    Future<T> answer;
    try {
      // Nobody has to wait for a thread: there is one for each slot.
      answer = readerThreads.submit(() -> readIn(slot, work));
    } catch (RejectedExecutionException e) {
      readers.give(slot, false);
      throw new StoreUnavailableException("the store is closed", e);
    }
    try {
      return answer.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreUnavailableException("interrupted while reading the store", e);
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException thrown -> throw thrown;
        case Error thrown -> throw thrown;
        case null, default -> throw new IllegalStateException(e);
      }
    }
  }

  private <T> T readIn(SessionPool.Slot slot, SqlWork<T> work) {
    try {
      return work.in(readers.session(slot));
    } catch (SQLException e) {
      readers.discard(slot);
      throw dialect.failure(e);
    } finally {
      readers.give(slot, true);
    }
  }
}
