package dev.stint.contracts;

import dev.stint.engine.JsonStrings;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes one JSON object. JSON that is kept as text goes out as the text it came in as, so that a
 * payload is neither parsed nor changed on its way through.
 */
public final class JsonWriter {
  private final StringBuilder out = new StringBuilder(256).append('{');

  public JsonWriter add(String name, @Nullable String value) {
    name(name);
    if (value == null) {
      out.append("null");
    } else {
      string(value);
    }
    return this;
  }

  public JsonWriter add(String name, long value) {
    name(name);
    out.append(value);
    return this;
  }

  public JsonWriter add(String name, boolean value) {
    name(name);
    out.append(value);
    return this;
  }

  /** Seconds with as many digits as the milliseconds need. */
  public JsonWriter addSeconds(String name, long millis) {
    name(name);
    if (millis % 1000 == 0) {
      out.append(millis / 1000);
    } else {
      out.append(BigDecimal.valueOf(millis, 3).stripTrailingZeros().toPlainString());
    }
    return this;
  }

  /** A list of strings. */
  public JsonWriter add(String name, Iterable<String> values) {
    name(name);
    out.append('[');
    String comma = "";
    for (String value : values) {
      out.append(comma);
      string(value);
      comma = ",";
    }
    out.append(']');
    return this;
  }

  /** A value that is JSON already. */
  public JsonWriter addJson(String name, @Nullable String json) {
    name(name);
    out.append(json == null ? "null" : json);
    return this;
  }

  /** A list of objects. */
  public JsonWriter addObjects(String name, List<JsonWriter> objects) {
    return addJson(
        name, objects.stream().map(JsonWriter::toJson).collect(Collectors.joining(",", "[", "]")));
  }

  /** A number, or null if it is not known. */
  public JsonWriter addNumber(String name, @Nullable Number value) {
    return addJson(name, value == null ? null : value.toString());
  }

  /** The finished object as text. */
  public String toJson() {
    return out + "}";
  }

  byte[] toBytes() {
    return toJson().getBytes(StandardCharsets.UTF_8);
  }

  private void name(String name) {
    if (out.length() > 1) {
      out.append(',');
    }
    string(name);
    out.append(':');
  }

  private void string(String value) {
    JsonStrings.append(out, value);
  }
}
