package dev.stint.bench;

/**
 * Counts durations in buckets whose width grows with the value, so that a fixed 30 KB holds
 * anything from a nanosecond to centuries with an error of at most 1 in {@value #SUB_BUCKETS}.
 *
 * <p>Values below {@value #SUB_BUCKETS} have a bucket each. Every power of two above is cut into
 * {@value #SUB_BUCKETS} equal buckets. Not safe for several threads.
 */
final class Histogram {
  private static final int SUB_BUCKET_BITS = 6;
  static final int SUB_BUCKETS = 1 << SUB_BUCKET_BITS;
  private static final int POWERS = Long.SIZE - 1 - SUB_BUCKET_BITS;

  private final long[] counts = new long[SUB_BUCKETS * (POWERS + 1)];
  private long total;
  private long max;

  void record(long nanos) {
    long value = Math.max(0, nanos);
    counts[bucketOf(value)]++;
    total++;
    max = Math.max(max, value);
  }

  long count() {
    return total;
  }

  long max() {
    return max;
  }

  /**
   * The smallest bucket's upper edge that at least {@code percent} of all values do not exceed; 0
   * when nothing was recorded.
   */
  long percentile(double percent) {
    long wanted = Math.max(1, (long) Math.ceil(total * percent / 100));
    long seen = 0;
    for (int bucket = 0; bucket < counts.length; bucket++) {
      seen += counts[bucket];
      if (seen >= wanted) {
        return Math.min(max, upperEdgeOf(bucket));
      }
    }
    return max;
  }

  private static int bucketOf(long value) {
    if (value < SUB_BUCKETS) {
      return (int) value;
    }
    int shift = Long.SIZE - 1 - SUB_BUCKET_BITS - Long.numberOfLeadingZeros(value);
    return SUB_BUCKETS * shift + (int) (value >>> shift);
  }

  private static long upperEdgeOf(int bucket) {
    if (bucket < SUB_BUCKETS) {
      return bucket;
    }
    int shift = bucket / SUB_BUCKETS - 1;
    long lowerEdge = (long) (bucket - SUB_BUCKETS * shift) << shift;
    return lowerEdge + (1L << shift) - 1;
  }
}
