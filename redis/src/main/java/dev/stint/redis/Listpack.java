package dev.stint.redis;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The compact list in which Redis keeps small hashes and the entries of a stream. */
final class Listpack {
  private static final int HEAD = 6;
  private static final int END = 0xff;

  /** An entry has the fields that the list begins with. */
  private static final int SAME_FIELDS = 2;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream(512);
  private int elements;

  private Listpack() {}

  /** Each field and its value. */
  static byte[] of(Map<String, String> fields) {
    Listpack list = new Listpack();
    fields.forEach((name, value) -> list.text(name).text(value));
    return list.bytes();
  }

  /** First what is true of all entries, then each, its id as the distance from the first one's. */
  static byte[] of(List<String> fields, List<Dump.Entry> entries) {
    Listpack list = new Listpack();
    list.number(entries.size()).number(0).number(fields.size());
    fields.forEach(list::text);
    list.number(0);
    StreamId first = entries.getFirst().id();
    for (Dump.Entry entry : entries) {
      int before = list.elements;
      list.number(SAME_FIELDS);
      list.number(entry.id().ms() - first.ms());
      list.number(entry.id().seq() - first.seq());
      entry.values().forEach(list::text);
      list.number(list.elements - before);
    }
    return list.bytes();
  }

  private Listpack number(long number) {
    if (number >= 0 && number < 128) {
      out.write((int) number);
      return end(1);
    }
    out.write(0xf4);
    out.writeBytes(littleEndian(8).putLong(number).array());
    return end(9);
  }

  private Listpack text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int length = bytes.length;
    int head;
    if (length < 1 << 6) {
      out.write(0x80 | length);
      head = 1;
    } else if (length < 1 << 12) {
      out.write(0xe0 | (length >>> 8));
      out.write(length);
      head = 2;
    } else {
      out.write(0xf0);
      out.writeBytes(littleEndian(4).putInt(length).array());
      head = 5;
    }
    out.writeBytes(bytes);
    return end(head + length);
  }

  /** Ends an element with its length, for who reads backwards: seven bits a byte, highest first. */
  private Listpack end(int length) {
    int more = length < 128 ? 0 : length < 16_383 ? 1 : length < 2_097_151 ? 2 : 3;
    out.write(length >>> (7 * more));
    for (int left = more - 1; left >= 0; left--) {
      out.write(0x80 | ((length >>> (7 * left)) & 0x7f));
    }
    elements++;
    return this;
  }

  private byte[] bytes() {
    int size = HEAD + out.size() + 1;
    return littleEndian(size)
        .putInt(size)
        .putShort((short) elements)
        .put(out.toByteArray())
        .put((byte) END)
        .array();
  }

  private static ByteBuffer littleEndian(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }
}
