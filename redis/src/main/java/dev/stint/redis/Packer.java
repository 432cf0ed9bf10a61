package dev.stint.redis;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Packs texts and lists of texts for {@code cmsgpack.unpack}: one argument of a script instead of
 * dozens, which Redis and the client would each take apart by themselves.
 */
final class Packer {
  private static final int LIST_16 = 0xdc;
  private static final int LIST_32 = 0xdd;
  private static final int TEXT_SHORT = 0xa0;
  private static final int TEXT_16 = 0xda;
  private static final int TEXT_32 = 0xdb;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream(2_048);

  /** Begins a list of so many elements, which are to follow. */
  Packer list(int size) {
    return head(LIST_16, LIST_32, size);
  }

  Packer text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length < 32) {
      out.write(TEXT_SHORT | bytes.length);
    } else {
      head(TEXT_16, TEXT_32, bytes.length);
    }
    out.writeBytes(bytes);
    return this;
  }

  Packer number(long number) {
    return text(Long.toString(number));
  }

  private Packer head(int of16, int of32, int size) {
    if (size < 1 << 16) {
      out.write(of16);
    } else {
      out.write(of32);
      out.write(size >>> 24);
      out.write(size >>> 16);
    }
    out.write(size >>> 8);
    out.write(size);
    return this;
  }

  byte[] bytes() {
    return out.toByteArray();
  }
}
