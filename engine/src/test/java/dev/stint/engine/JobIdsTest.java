package dev.stint.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class JobIdsTest {
  private static final long COUNTERS = 1 << 12;

  @Test
  void idsSortInTheOrderInWhichTheyWereMade() {
    List<String> made = Stream.generate(JobIds::next).limit(2_000).map(UUID::toString).toList();
    assertThat(made).isSorted().doesNotHaveDuplicates();
    assertThat(made).allMatch(id -> id.charAt(14) == '7');
  }

  @Test
  void theyTellTheTimeAndGoWhereTheClockGoes() {
    long before = System.currentTimeMillis();
    UUID id = JobIds.next();
    assertThat(id.getMostSignificantBits() >>> 16).isBetween(before, System.currentTimeMillis());
    assertThat(JobIds.firstAt(before)).isLessThan(id);
    assertThat(JobIds.following(5 * COUNTERS + 7, 5)).isEqualTo(5 * COUNTERS + 8);
    assertThat(JobIds.following(5 * COUNTERS + 7, 6)).isEqualTo(6 * COUNTERS);
    assertThat(JobIds.following(5 * COUNTERS + 7, 4)).isEqualTo(4 * COUNTERS);
  }
}
