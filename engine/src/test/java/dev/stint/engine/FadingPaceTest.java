package dev.stint.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FadingPaceTest {
  private static final int AT_MOST = 500;

  private final AtomicLong nanos = new AtomicLong(-5);
  private final FadingPace pace = new FadingPace(nanos::get);

  @Test
  void aSweepThatIsAloneTakesAllThatItMay() {
    assertThat(pace.next(AT_MOST)).isEqualTo(AT_MOST);
    assertThat(pace.next(AT_MOST)).isEqualTo(AT_MOST);
  }

  @Test
  void underLoadAFewMoreGoThanCome() {
    pace.worked(100);
    pace.worked(60);
    pace.worked(0);
    assertThat(pace.next(AT_MOST)).isEqualTo(180);
    pace.worked(5_000);
    assertThat(pace.next(AT_MOST)).isEqualTo(AT_MOST);
    pace.worked(2);
    assertThat(pace.next(AT_MOST)).isEqualTo(50);
    assertThat(pace.next(3)).isEqualTo(3);
  }

  @Test
  void aMomentWithoutWorkIsNoLullYet() {
    pace.worked(0);
    assertThat(pace.next(AT_MOST)).isEqualTo(50);
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(99));
    assertThat(pace.next(AT_MOST)).isEqualTo(50);
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
    assertThat(pace.next(AT_MOST)).isEqualTo(AT_MOST);
  }
}
