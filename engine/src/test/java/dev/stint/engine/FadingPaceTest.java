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
  void underLoadAFewMoreGoThanCome() {
    pace.count(submits(100));
    pace.count(submits(60));
    pace.count(others(1_000));
    pace.count(sweeps(1));
    assertThat(pace.next(AT_MOST)).isEqualTo(180);
    pace.count(submits(5_000));
    assertThat(pace.next(AT_MOST)).isEqualTo(AT_MOST);
    pace.count(submits(2));
    assertThat(pace.next(AT_MOST)).isEqualTo(50);
    assertThat(pace.next(3)).isEqualTo(3);
  }

  @Test
  void aMomentWithoutWorkIsNoLullYet() {
    pace.count(others(64));
    assertThat(pace.next(AT_MOST)).isEqualTo(50);
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(99));
    assertThat(pace.next(AT_MOST)).isEqualTo(50);
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
    assertThat(pace.next(AT_MOST)).isEqualTo(AT_MOST);
  }

  private static List<Entry<?>> sweeps(int n) {
    return entries(n, new Command.Sweep(1));
  }

  private static List<Entry<?>> submits(int n) {
    JobContent content = new JobContent("test", null, "{}", null, Scope.NONE, null);
    Command.Submit.Draft draft =
        new Command.Submit.Draft(
            "q",
            Needs.NOTHING,
            0,
            0,
            Times.NEVER,
            0,
            RetryPolicy.attempts(1),
            LeasePolicy.OF_THE_CLAIMER);
    return entries(n, new Command.Submit(new UUID(0, 1), draft, content, null, 1));
  }

  private static List<Entry<?>> others(int n) {
    return entries(n, new Command.LookAgain(List.of(new UUID(0, 1))));
  }

  private static List<Entry<?>> entries(int n, Command<?> command) {
    return Collections.nCopies(n, new Entry<>(command, null));
  }
}
