package dev.stint.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EntryTest {
  private final Entry<Outcome.Swept> entry = new Entry<>(new Command.Sweep(1), null);

  @Test
  void itIsOverdueAfterHalfAMinute() {
    long now = System.nanoTime();
    assertThat(entry.isOverdue(now + TimeUnit.SECONDS.toNanos(25))).isFalse();
    assertThat(entry.isOverdue(now + TimeUnit.SECONDS.toNanos(31))).isTrue();
  }

  @Test
  void whoGaveItUpKeepsTheWriterFromCarryingItOut() {
    assertThat(entry.take()).isTrue();
    assertThat(entry.take()).isFalse();
  }

  @Test
  void anAnswerThatComesAfterAllChangesNothing() {
    entry.fail(new StoreUnavailableException("the store does not answer"));
    entry.outcome(new Outcome.Swept(0, 0, true, Times.NEVER));
    entry.answer();
    assertThatThrownBy(entry::await).isInstanceOf(StoreUnavailableException.class);
  }
}
