package dev.stint.bench;

import dev.stint.engine.Store;
import dev.stint.storage.StoreUnusableException;
import dev.stint.storage.Stores;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The same lifecycle without HTTP, twice over: first by an engine in this process on a fresh SQLite
 * file, and then what that engine asked of its store, replayed on a store of the measured kind with
 * the same settings: the same statements on the same rows, and nothing else.
 */
final class BareStore {
  /** Held, or their levels would be forgotten: nobody wants to read of migrations here. */
  private static final List<Logger> TALKATIVE =
      List.of(Logger.getLogger("org.flywaydb"), Logger.getLogger("com.zaxxer.hikari"));

  /**
   * A server that has the same PostgreSQL sees the jobs that are done again there, and takes those
   * whose lease was over before: what is recorded must not be as old as that.
   */
  private static final Duration LONGEST = Duration.ofSeconds(10);

  private final Optional<String> db;
  private final EngineLoad load;

  /** Where to replay; a PostgreSQL database keeps the jobs, an SQLite file is made and removed. */
  BareStore(Optional<String> db, EngineLoad load) {
    this.db = db;
    this.load = load;
    TALKATIVE.forEach(logger -> logger.setLevel(Level.WARNING));
  }

  /**
   * What one slice gave.
   *
   * @param engine the engine alone, on SQLite
   * @param store the store alone
   */
  record Slice(EngineLoad.Done engine, EngineLoad.Done store) {}

  /** Takes about so long twice over; what is recorded goes on for 10 s at most. */
  Slice run(Duration length) throws RunFailedException {
    try (TemporaryFolder folder = TemporaryFolder.makeIn(parent())) {
      Recording recording = new Recording();
      EngineLoad.Done engine;
      try (Store store = open(folder.path().resolve("recorded.db").toString())) {
        engine = load.run(recording.of(store), length.compareTo(LONGEST) < 0 ? length : LONGEST);
      }
      boolean isPostgres = db.filter(Database::isPostgres).isPresent();
      String fresh = folder.path().resolve("replayed.db").toString();
      try (Store store = open(isPostgres ? db.orElse("") : fresh)) {
        long begin = System.nanoTime();
        recording.replay(store);
        long nanos = System.nanoTime() - begin;
        return new Slice(engine, new EngineLoad.Done(engine.jobs(), nanos));
      }
    } catch (StoreUnusableException e) {
      throw new RunFailedException("cannot open a store: " + e.getMessage(), e);
    }
  }

  private static Store open(String where) {
    return Stores.open(where, Clock.systemUTC());
  }

  /** Beside the measured file, so that it is the same disk. */
  private Path parent() {
    Path ofFile =
        db.filter(file -> !Database.isPostgres(file))
            .map(file -> Path.of(file).toAbsolutePath().getParent())
            .orElse(null);
    return ofFile == null ? Path.of(System.getProperty("java.io.tmpdir")) : ofFile;
  }
}
