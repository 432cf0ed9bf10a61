package dev.stint.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class HistogramTest {
  private static final Percentage BUCKET_ERROR =
      Percentage.withPercentage(100.0 / Histogram.SUB_BUCKETS);

  @Test
  void smallValuesAreExact() {
    Histogram histogram = new Histogram();
    for (int value = 1; value <= 100; value++) {
      histogram.record(value % 50);
    }
    assertThat(histogram.percentile(50)).isEqualTo(24);
    assertThat(histogram.percentile(100)).isEqualTo(49);
  }

  @Test
  void percentilesOfManySizesAreRightWithinABucket() {
    Histogram histogram = new Histogram();
    Random random = new Random(7);
    long[] values = new long[20_000];
    for (int i = 0; i < values.length; i++) {
      // Spread over twelve powers of ten, as no real latency ever is.
      values[i] = (long) Math.pow(10, random.nextDouble() * 12);
      histogram.record(values[i]);
    }
    Arrays.sort(values);
    for (double percent : new double[] {0.1, 1, 10, 50, 90, 99, 99.9, 100}) {
      long exact = values[(int) Math.ceil(values.length * percent / 100) - 1];
      assertThat(histogram.percentile(percent))
          .as("p%s", percent)
          .isGreaterThanOrEqualTo(exact)
          .isCloseTo(exact, BUCKET_ERROR);
    }
    assertThat(histogram.count()).isEqualTo(values.length);
    assertThat(histogram.max()).isEqualTo(values[values.length - 1]);
  }

  @Test
  void aPercentileNeverExceedsTheLargestValue() {
    Histogram histogram = new Histogram();
    histogram.record(1_000_001);
    assertThat(histogram.percentile(50)).isEqualTo(1_000_001);
    assertThat(histogram.percentile(99)).isEqualTo(1_000_001);
  }

  @Test
  void theExtremesHaveABucketToo() {
    Histogram histogram = new Histogram();
    histogram.record(Long.MAX_VALUE);
    histogram.record(-5);
    assertThat(histogram.percentile(50)).isZero();
    assertThat(histogram.percentile(100)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void anEmptyOneSaysZero() {
    assertThat(new Histogram().percentile(99)).isZero();
  }
}
