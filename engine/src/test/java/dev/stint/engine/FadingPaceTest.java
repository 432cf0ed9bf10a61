package dev.stint.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FadingPaceTest {
  private static final int AT_MOST = 500;

  private final AtomicLong nanos = new AtomicLong(-5);
  private final FadingPace pace = new FadingPace(nanos::get);

  @Test
  void aSweepThatIsAloneTakesAllThatItMay() {
    pace.count(sweeps(1));
    assertThat(pace.next(AT_MOST)).isEqualTo(AT_MOST);
    pace.count(sweeps(1));
    assertThat(pace.next(AT_MOST)).isEqualTo(AT_MOST);
  }

  @Test
  void underLoadAFewMoreGoThanCanHaveCome() {
    pace.count(work(200));
    pace.count(work(120));
    pace.count(sweeps(1));
    assertThat(pace.next(AT_MOST)).isEqualTo(180);
    pace.count(work(5_000));
    assertThat(pace.next(AT_MOST)).isEqualTo(AT_MOST);
    pace.count(work(2));
    assertThat(pace.next(AT_MOST)).isEqualTo(10);
    assertThat(pace.next(3)).isEqualTo(3);
  }

  @Test
  void aMomentWithoutWorkIsNoLullYet() {
    pace.count(work(64));
    assertThat(pace.next(AT_MOST)).isEqualTo(36);
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(99));
    assertThat(pace.next(AT_MOST)).isEqualTo(10);
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
    assertThat(pace.next(AT_MOST)).isEqualTo(AT_MOST);
  }

  private static List<Entry<?>> sweeps(int n) {
    return Collections.nCopies(n, new Entry<>(new Command.Sweep(1), null));
  }

  private static List<Entry<?>> work(int n) {
    return Collections.nCopies(
        n, new Entry<>(new Command.LookAgain(List.of(new UUID(0, 1))), null));
  }
}
