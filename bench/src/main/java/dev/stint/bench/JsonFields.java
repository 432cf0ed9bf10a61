package dev.stint.bench;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Finds some top-level fields of a JSON object in one pass, without building anything. The raw
 * values can be copied into the next request as they are, which is all that a worker does with a
 * lease token.
 *
 * <p>The generator shares the machine with the server that it measures; a parser that made objects
 * of every answer would be measured with it. Nested values are skipped by counting brackets, not
 * validated.
 */
final class JsonFields {
  private final byte[][] names;
  private final int[] starts;
  private final int[] ends;
  private byte[] text = new byte[0];
  private int limit;
  private int at;

  JsonFields(String... names) {
    this.names = new byte[names.length][];
    for (int i = 0; i < names.length; i++) {
      this.names[i] = names[i].getBytes(StandardCharsets.UTF_8);
    }
    starts = new int[names.length];
    ends = new int[names.length];
  }

  /** Looks for the fields of the body; false if that is not a whole JSON object. */
  boolean scan(Answer answer) {
    return scan(answer.bytes(), answer.bodyStart(), answer.bodyEnd());
  }

  /** Looks for the fields; false if this is not a whole JSON object. */
  boolean scan(byte[] bytes, int from, int to) {
    text = bytes;
    at = from;
    limit = to;
    for (int i = 0; i < names.length; i++) {
      starts[i] = 0;
      ends[i] = 0;
    }
    if (!take('{')) {
      return false;
    }
    if (take('}')) {
      return atEnd();
    }
    do {
      skipSpace();
      int nameStart = at + 1;
      if (!skipString()) {
        return false;
      }
      int field = fieldNamed(nameStart, at - 1);
      if (!take(':')) {
        return false;
      }
      skipSpace();
      int valueStart = at;
      if (!skipValue()) {
        return false;
      }
      if (field >= 0) {
        starts[field] = valueStart;
        ends[field] = at;
      }
    } while (take(','));
    return take('}') && atEnd();
  }

  boolean has(int field) {
    return ends[field] > starts[field];
  }

  boolean isTrue(int field) {
    return ends[field] - starts[field] == 4 && text[starts[field]] == 't';
  }

  /** Where the raw value begins; strings with their quotes. */
  int start(int field) {
    return starts[field];
  }

  int length(int field) {
    return ends[field] - starts[field];
  }

  /** The text of a string field, its escapes untouched; empty if it is absent or no string. */
  String string(int field) {
    if (length(field) < 2 || text[starts[field]] != '"') {
      return "";
    }
    return new String(text, starts[field] + 1, length(field) - 2, StandardCharsets.UTF_8);
  }

  /** The value as it stands there. */
  String raw(int field) {
    return new String(text, starts[field], length(field), StandardCharsets.UTF_8);
  }

  private int fieldNamed(int from, int to) {
    for (int i = 0; i < names.length; i++) {
      byte[] name = names[i];
      if (name.length == to - from && Arrays.equals(text, from, to, name, 0, name.length)) {
        return i;
      }
    }
    return -1;
  }

  private boolean skipValue() {
    if (at >= limit) {
      return false;
    }
    return switch (text[at]) {
      case '"' -> skipString();
      case '{', '[' -> skipNested();
      default -> skipScalar();
    };
  }

  private boolean skipNested() {
    int depth = 0;
    while (at < limit) {
      byte b = text[at];
      if (b == '"') {
        if (!skipString()) {
          return false;
        }
        continue;
      }
      at++;
      if (b == '{' || b == '[') {
        depth++;
      } else if ((b == '}' || b == ']') && --depth == 0) {
        return true;
      }
    }
    return false;
  }

  private boolean skipString() {
    if (at >= limit || text[at] != '"') {
      return false;
    }
    for (at++; at < limit; at++) {
      if (text[at] == '\\') {
        at++;
      } else if (text[at] == '"') {
        at++;
        return true;
      }
    }
    return false;
  }

  private boolean skipScalar() {
    int from = at;
    while (at < limit && text[at] != ',' && text[at] != '}' && text[at] > ' ') {
      at++;
    }
    return at > from;
  }

  private boolean take(char wanted) {
    skipSpace();
    if (at < limit && text[at] == wanted) {
      at++;
      return true;
    }
    return false;
  }

  private boolean atEnd() {
    skipSpace();
    return at == limit;
  }

  private void skipSpace() {
    while (at < limit && text[at] <= ' ' && text[at] >= 0) {
      at++;
    }
  }
}
