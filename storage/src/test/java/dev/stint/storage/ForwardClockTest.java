package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ForwardClockTest {
  private final ForwardClock time = new ForwardClock();

  @Test
  void itIsTheClockAsLongAsThatGoesOn() {
    assertThat(time.latest()).isZero();
    assertThat(time.at(1_000_000)).isEqualTo(1_000_000);
    assertThat(time.at(1_000_000)).isEqualTo(1_000_000);
    assertThat(time.at(9_000_000)).isEqualTo(9_000_000);
    assertThat(time.latest()).isEqualTo(9_000_000);
  }

  @Test
  void aClockThatIsSetBackIsCaughtUpWithHoweverOftenItIsRead() {
    time.at(1_000_000);
    long clock = 990_000;
    long before = time.at(clock);
    assertThat(before).isEqualTo(1_000_000);
    while (clock < 990_000 + 16 * 10_000) {
      clock++;
      long now = time.at(clock);
      assertThat(now).isBetween(before, before + 1);
      before = now;
    }
    assertThat(before).isEqualTo(clock);
  }

  @Test
  void aClockThatIsSetBackAgainAndAgainNeverTurnsTimeBack() {
    long before = time.at(1_000_000);
    long clock = 1_000_000;
    for (int i = 0; i < 50; i++) {
      clock += i % 5 == 0 ? -7_000 : 3_000;
      long now = time.at(clock);
      assertThat(now).isGreaterThanOrEqualTo(Math.max(before, clock));
      before = now;
    }
  }
}
