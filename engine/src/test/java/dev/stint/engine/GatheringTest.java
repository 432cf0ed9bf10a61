package dev.stint.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class GatheringTest {
  private static final long COMMIT_NANOS = TimeUnit.MICROSECONDS.toNanos(1_000);

  @Test
  void fewAreNeverKeptWaiting() {
    assertThat(Gathering.NONE.pause(1)).isZero();
    assertThat(new Gathering(15, COMMIT_NANOS).pause(1)).isZero();
  }

  @Test
  void manyAreWaitedForUntilHalfOfThemAreBack() {
    Gathering many = new Gathering(64, COMMIT_NANOS);

    assertThat(many.pause(1)).isEqualTo(TimeUnit.MICROSECONDS.toNanos(100));
    assertThat(many.pause(31)).isEqualTo(TimeUnit.MICROSECONDS.toNanos(100));
    assertThat(many.pause(32)).isZero();
    assertThat(many.pause(500)).isZero();
  }

  @Test
  void aCommitThatHungIsNotMadeUpForByWaiting() {
    assertThat(new Gathering(64, TimeUnit.SECONDS.toNanos(30)).pause(1))
        .isEqualTo(TimeUnit.MILLISECONDS.toNanos(2));
  }

  @Test
  void aSecondWriterIsLeftOutOnlyWhereManyComeAndFewWait() {
    assertThat(new Gathering(15, COMMIT_NANOS).areMany()).isFalse();
    assertThat(new Gathering(16, COMMIT_NANOS).areMany()).isTrue();
    assertThat(Gathering.areEnough(63)).isFalse();
    assertThat(Gathering.areEnough(64)).isTrue();
  }

  @Test
  void aCommitHangsOnceItTakesFarLongerThanTheOneBefore() {
    assertThat(new Gathering(64, COMMIT_NANOS).patienceNanos())
        .isEqualTo(TimeUnit.MILLISECONDS.toNanos(4));
    assertThat(new Gathering(64, 1).patienceNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(2));
    assertThat(new Gathering(64, TimeUnit.SECONDS.toNanos(30)).patienceNanos())
        .isEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
  }
}
