package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Store;
import dev.stint.testkit.SettableClock;
import dev.stint.testkit.StoreConformance;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteStoreTest extends StoreConformance {
  private final SettableClock clock = new SettableClock(1_750_000_000_000L);

  @TempDir Path directory;

  @Override
  protected Store openEmpty() {
    try {
      Files.deleteIfExists(directory.resolve("stint.db"));
      return openAgain();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  protected Store openAgain() {
    return Stores.open(directory.resolve("stint.db").toString(), clock);
  }

  @Test
  void aClockThatIsSetBackDoesNotTurnTimeBack() {
    long before = store().now();
    clock.advance(Duration.ofMinutes(-1));
    assertThat(store().now()).isEqualTo(before);
    assertThat(numberIn(Store.Transaction::now)).isEqualTo(before);
    clock.advance(Duration.ofSeconds(32));
    assertThat(numberIn(Store.Transaction::now)).isEqualTo(before + 30_000);
    clock.advance(Duration.ofMinutes(20));
    assertThat(numberIn(Store.Transaction::now)).isEqualTo(clock.millis());
  }

  @Test
  void aClockThatJumpedAheadAndIsPutRightDoesNotHoldTimeUp() {
    clock.advance(Duration.ofHours(6));
    long before = store().now();
    clock.advance(Duration.ofHours(-6));
    assertThat(store().now()).isEqualTo(before);
    clock.advance(Duration.ofSeconds(16));
    assertThat(store().now()).isEqualTo(before + 15_000);
  }

  @Test
  void readingsThatCameOutOfOrderAreNoClockThatWasSetBack() {
    long before = store().now();
    clock.advance(Duration.ofSeconds(-4));
    assertThat(store().now()).isEqualTo(before);
    clock.advance(Duration.ofSeconds(5));
    assertThat(store().now()).isEqualTo(before + 1_000);
  }

  @Test
  void oneTransactionAtATimeIsAllThatOneFileCanUse() {
    assertThat(store().writers()).isEqualTo(1);
  }
}
