package dev.stint.redis;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Values as Redis dumps and restores them. A whole hash or stream comes to be with one command, and
 * a stream of a few entries takes no more memory than they need, while Redis sets 4 KB aside for
 * the first entry that is added to one.
 */
final class Dump {
  private static final int HASH = 4;
  private static final int PACKED_HASH = 16;
  private static final int STREAM = 15;

  /** What a Redis understands. */
  enum Format {
    /** Redis 7 and later: hashes can come packed too, and stay so. */
    PACKED(10),
    /** Redis 5 and later. */
    PLAIN(9);

    private final int version;

    Format(int version) {
      this.version = version;
    }
  }

  /** Redis' polynomial, reflected. */
  private static final long CHECKSUM = 0x95ac9329ac4bc9b5L;

  private static final long[] CHECKSUMS = new long[256];

  static {
    for (int i = 0; i < CHECKSUMS.length; i++) {
      long sum = i;
      for (int bit = 0; bit < 8; bit++) {
        sum = (sum & 1) == 0 ? sum >>> 1 : (sum >>> 1) ^ CHECKSUM;
      }
      CHECKSUMS[i] = sum;
    }
  }

  private final ByteArrayOutputStream out = new ByteArrayOutputStream(1_024);

  /** An entry of a stream, with a value for each of the stream's fields. */
  record Entry(StreamId id, List<String> values) {}

  private Dump(int type) {
    out.write(type);
  }

  /** A hash with a few fields. */
  static byte[] hash(Format format, Map<String, String> fields) {
    if (format == Format.PACKED) {
      return new Dump(PACKED_HASH).bytes(Listpack.of(fields)).signed(format);
    }
    Dump dump = new Dump(HASH).number(fields.size());
    fields.forEach((name, value) ->
        dump.bytes(name.getBytes(StandardCharsets.UTF_8))
            .bytes(value.getBytes(StandardCharsets.UTF_8)));
    return dump.signed(format);
  }

  /**
   * A stream without groups.
   *
   * @param fields what all its entries have
   * @param entries at least one and not more than a few hundred, their ids going up
   */
  static byte[] stream(Format format, List<String> fields, List<Entry> entries) {
    StreamId first = entries.getFirst().id();
    StreamId last = entries.getLast().id();
    return new Dump(STREAM)
        .number(1)
        .bytes(ByteBuffer.allocate(16).putLong(first.ms()).putLong(first.seq()).array())
        .bytes(Listpack.of(fields, entries))
        .number(entries.size())
        .number(last.ms())
        .number(last.seq())
        .number(0)
        .signed(format);
  }

  private Dump bytes(byte[] bytes) {
    number(bytes.length);
    out.writeBytes(bytes);
    return this;
  }

  private Dump number(long number) {
    if (number < 1 << 6) {
      out.write((int) number);
    } else if (number < 1 << 14) {
      out.write(0x40 | (int) (number >>> 8));
      out.write((int) number);
    } else {
      out.write(0x81);
      out.writeBytes(ByteBuffer.allocate(8).putLong(number).array());
    }
    return this;
  }

  /** With the version and the sum of all before it. */
  private byte[] signed(Format format) {
    out.write(format.version);
    out.write(0);
    int size = out.size();
    out.writeBytes(new byte[Long.BYTES]);
    byte[] signed = out.toByteArray();
    long sum = 0;
    for (int i = 0; i < size; i++) {
      sum = CHECKSUMS[(int) (sum ^ signed[i]) & 0xff] ^ (sum >>> 8);
    }
    ByteBuffer.wrap(signed).order(ByteOrder.LITTLE_ENDIAN).putLong(size, sum);
    return signed;
  }
}
