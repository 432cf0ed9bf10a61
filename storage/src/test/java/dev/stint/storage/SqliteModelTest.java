package dev.stint.storage;

import dev.stint.engine.Store;
import dev.stint.testkit.ModelConformance;
import dev.stint.testkit.MovableStore;
import dev.stint.testkit.SettableClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

class SqliteModelTest extends ModelConformance {
  private static final SettableClock CLOCK = new SettableClock(1_700_000_000_000L);
  private static @Nullable Path folder;

  @BeforeContainer
  static void makeFolder() throws IOException {
    folder = Files.createTempDirectory("stint-model");
  }

  @AfterContainer
  static void removeFolder() throws IOException {
    try (var files = Files.walk(folder())) {
      files.sorted(java.util.Comparator.reverseOrder()).forEach(SqliteModelTest::remove);
    }
  }

  private static Path folder() {
    return java.util.Objects.requireNonNull(folder);
  }

  private static void remove(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  protected MovableStore movableStore() {
    return new MovableStore() {
      @Override
      public Store open() {
        return Stores.open(folder().resolve("stint.db").toString(), CLOCK);
      }

      @Override
      public void advance(long millis) {
        CLOCK.advance(Duration.ofMillis(millis));
      }
    };
  }
}
