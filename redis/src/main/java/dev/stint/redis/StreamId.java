package dev.stint.redis;

/** The id of an entry in a stream. */
record StreamId(long ms, long seq) implements Comparable<StreamId> {
  static final StreamId ZERO = new StreamId(0, 0);

  static StreamId parse(String text) {
    int dash = text.indexOf('-');
    return new StreamId(
        Long.parseUnsignedLong(text, 0, dash, 10),
        Long.parseUnsignedLong(text, dash + 1, text.length(), 10));
  }

  @Override
  public int compareTo(StreamId other) {
    int byMs = Long.compareUnsigned(ms, other.ms);
    return byMs == 0 ? Long.compareUnsigned(seq, other.seq) : byMs;
  }

  @Override
  public String toString() {
    return Long.toUnsignedString(ms) + "-" + Long.toUnsignedString(seq);
  }
}
