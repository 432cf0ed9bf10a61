package dev.stint.contracts;

import dev.stint.engine.Texts;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/**
 * The fields of a JSON object that came in. It is parsed once: scalars are read, and what is nested
 * is only checked and kept as the text it is. Every accessor names the field if it is not as it
 * should be. A field that is null is as one that is absent, and unknown ones are nobody's business.
 */
public final class Fields {
  static final int MAX_STRING = 200;

  private final String text;
  private final String prefix;
  private final Map<String, Value> values;

  /** Where a value stands in the text; {@code string} is what it says if it is a string. */
  private record Value(JsonToken token, int start, int end, @Nullable String string) {}

  private Fields(String text, String prefix, Map<String, Value> values) {
    this.text = text;
    this.prefix = prefix;
    this.values = values;
  }

  /**
   * Parses a body.
   *
   * @throws Refusal if it is not one JSON object
   */
  public static Fields of(byte[] body) {
    return parse(StrictJson.decode(body), "");
  }

  /** Like {@link #of}, for calls that need no body. */
  public static Fields ofOptional(byte[] body) {
    return body.length == 0 ? new Fields("", "", Map.of()) : of(body);
  }

  /** The fields of JSON that is kept, or null if there is none or it is no object. */
  public static @Nullable Fields ofKept(@Nullable String json) {
    return json == null || !json.startsWith("{") ? null : parse(json, "");
  }

  private static Fields parse(String text, String prefix) {
    try (JsonParser parser = StrictJson.FACTORY.createParser(ObjectReadContext.empty(), text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw Refusal.malformed("the body must be a JSON object");
      }
      Map<String, Value> values = new HashMap<>();
      for (String name = parser.nextName(); name != null; name = parser.nextName()) {
        values.put(name, value(parser));
      }
      if (parser.nextToken() != null) {
        throw Refusal.malformed("something follows the JSON object");
      }
      return new Fields(text, prefix, values);
    } catch (JacksonException e) {
      throw StrictJson.malformed(e);
    }
  }

  private static Value value(JsonParser parser) {
    JsonToken token = parser.nextToken();
    int start = (int) parser.currentTokenLocation().getCharOffset();
    String string = null;
    if (token == JsonToken.VALUE_STRING) {
      string = parser.getString();
    } else if (token.isStructStart()) {
      parser.skipChildren();
    }
    return new Value(token, start, (int) parser.currentLocation().getCharOffset(), string);
  }

  /** The names of all fields, also of those that are null. */
  public Set<String> names() {
    return Set.copyOf(values.keySet());
  }

  /** Whether a field is there, also if it is null. */
  public boolean has(String name) {
    return values.containsKey(name);
  }

  /** A non-empty string of at most {@value #MAX_STRING} characters. */
  public String string(String name) {
    String given = optionalString(name);
    if (given == null) {
      throw invalid(name, "is missing; it must be a string");
    }
    return given;
  }

  /** Like {@link #string}, or null if absent. */
  public @Nullable String optionalString(String name) {
    return optionalString(name, MAX_STRING);
  }

  /** A non-empty string of at most {@code max} characters, or null if absent. */
  public @Nullable String optionalString(String name, int max) {
    Value value = find(name);
    return value == null ? null : plain(name, value, max);
  }

  /** Like {@link #optionalString}, for callers who send an empty string for what they have not. */
  public @Nullable String filledString(String name) {
    return isEmpty(name) ? null : optionalString(name);
  }

  /** Like {@link #optionalText}, in the same way. */
  public @Nullable String filledText(String name, int max) {
    return isEmpty(name) ? null : optionalText(name, max);
  }

  private boolean isEmpty(String name) {
    Value value = find(name);
    return value != null && value.token == JsonToken.VALUE_STRING && "".equals(value.string);
  }

  /**
   * Words for people: any string, cut to {@code max} characters and in one line, or null if absent
   * or empty.
   */
  public @Nullable String optionalWords(String name, int max) {
    Value value = find(name);
    if (value == null) {
      return null;
    }
    return StrictJson.inOneLine(said(name, value), max);
  }

  /**
   * The same of what a worker reports, which is never refused for what it says: what is no string
   * is its JSON.
   */
  public @Nullable String reportedWords(String name, int max) {
    Value value = find(name);
    return value == null ? null : StrictJson.inOneLine(reported(value), max);
  }

  /** Text as it may be long and of several lines, of at most {@code max} characters, or null. */
  public @Nullable String optionalText(String name, int max) {
    Value value = find(name);
    return value == null ? null : text(name, value, max);
  }

  /**
   * Text that a worker reports, which is never refused for what it says: of what is longer than
   * {@code max} the begin is kept, and NUL, which not every database keeps, is left out; what is no
   * string is its JSON.
   */
  public @Nullable String optionalReport(String name, int max) {
    Value value = find(name);
    if (value == null) {
      return null;
    }
    String said = reported(value).replace("\0", "");
    String kept = Texts.cut(said, max);
    return kept.length() < said.length() ? kept + "…" : said;
  }

  /** What a string says, however long; null if it is absent or something else. */
  public @Nullable String textOrNull(String name) {
    Value value = find(name);
    return value == null ? null : value.string;
  }

  /** A list of texts, each of at most {@code maxChars} characters; empty if absent. */
  public List<String> optionalTexts(String name, int max, int maxChars) {
    return list(name, max, "a list of strings", (entry, value) -> text(entry, value, maxChars));
  }

  /** The object itself, as the JSON text that came in. */
  public String toJson() {
    return text;
  }

  /** A list of at least one and at most {@code max} objects. */
  public List<Fields> objects(String name, int max) {
    List<Fields> given = optionalObjects(name, max);
    if (given.isEmpty()) {
      throw invalid(name, "must be a list of at least one JSON object");
    }
    return given;
  }

  /** A list of objects; empty if absent. */
  public List<Fields> optionalObjects(String name, int max) {
    return list(
        name,
        max,
        "a list of JSON objects",
        (entry, value) -> {
          if (value.token != JsonToken.START_OBJECT || value.string == null) {
            throw invalid(entry, "must be a JSON object");
          }
          return parse(value.string, prefix + entry + ".");
        });
  }

  private String text(String name, Value value, int max) {
    String said = said(name, value);
    if (said.length() > max) {
      throw invalid(name, "may have at most " + max + " characters");
    }
    if (said.indexOf('\0') >= 0) {
      throw invalid(name, "must not have a NUL character");
    }
    return said;
  }

  private String reported(Value value) {
    return value.token == JsonToken.VALUE_STRING && value.string != null
        ? value.string
        : raw(value);
  }

  private String said(String name, Value value) {
    if (value.token != JsonToken.VALUE_STRING || value.string == null) {
      throw invalid(name, "must be a string");
    }
    return value.string;
  }

  /** A list of at least one and at most {@code max} strings. */
  public List<String> strings(String name, int max) {
    List<String> given = optionalStrings(name, max);
    if (given.isEmpty()) {
      throw invalid(name, "must be a list of at least one string");
    }
    return given;
  }

  /** A list of at most {@code max} strings; empty if absent. */
  public List<String> optionalStrings(String name, int max) {
    return list(name, max, "a list of strings", (entry, value) -> plain(entry, value, MAX_STRING));
  }

  /**
   * Reads a list.
   *
   * @param entry reads one of its values, which is told its name
   */
  private <T> List<T> list(String name, int max, String kind, BiFunction<String, Value, T> entry) {
    Value array = find(name);
    if (array == null) {
      return List.of();
    }
    if (array.token != JsonToken.START_ARRAY) {
      throw invalid(name, "must be " + kind);
    }
    String json = raw(array);
    List<T> entries = new ArrayList<>();
    try (JsonParser parser = StrictJson.FACTORY.createParser(ObjectReadContext.empty(), json)) {
      parser.nextToken();
      for (Value value = value(parser); value.token != JsonToken.END_ARRAY; value = value(parser)) {
        if (entries.size() == max) {
          throw invalid(name, "may have at most " + max + " entries");
        }
        boolean isObject = value.token == JsonToken.START_OBJECT;
        entries.add(
            entry.apply(
                name + "[" + entries.size() + "]",
                isObject
                    ? new Value(value.token, 0, 0, json.substring(value.start, value.end))
                    : value));
      }
    } catch (JacksonException e) {
      throw StrictJson.malformed(e);
    }
    return entries;
  }

  /** A whole number from {@code min} to {@code max}, or {@code absent}. */
  public long integer(String name, long absent, long min, long max) {
    Value value = find(name);
    if (value == null) {
      return absent;
    }
    if (value.token.isNumeric()) {
      try {
        long number = whole(value);
        if (number >= min && number <= max) {
          return number;
        }
      } catch (ArithmeticException | NumberFormatException e) {
        // too large, or not whole
      }
    }
    throw invalid(name, "must be a whole number from " + min + " to " + max);
  }

  /** Many write whole numbers with a point, as 3.0. */
  private long whole(Value value) {
    return value.token == JsonToken.VALUE_NUMBER_INT
        ? Long.parseLong(raw(value))
        : new BigDecimal(raw(value)).longValueExact();
  }

  /** Like {@link #integer}, or null if absent. */
  public @Nullable Integer optionalInteger(String name, int min, int max) {
    return find(name) == null ? null : Integer.valueOf((int) integer(name, min, min, max));
  }

  /** A share from 0 to 100, or null if absent; of one with a fraction the whole part. */
  public @Nullable Integer optionalPercent(String name) {
    Value value = find(name);
    if (value == null || value.token != JsonToken.VALUE_NUMBER_FLOAT) {
      return optionalInteger(name, 0, 100);
    }
    double share = Double.parseDouble(raw(value));
    if (share >= 0 && share <= 100) {
      return (int) share;
    }
    throw invalid(name, "must be a number from 0 to 100");
  }

  public boolean bool(String name, boolean absent) {
    Value value = find(name);
    if (value == null) {
      return absent;
    }
    return switch (value.token) {
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> throw invalid(name, "must be true or false");
    };
  }

  /** Any value as the JSON text that came in, or null if absent. */
  public @Nullable String json(String name) {
    Value value = find(name);
    return value == null ? null : raw(value);
  }

  /** An object as the JSON text that came in. */
  public String objectJson(String name) {
    String given = optionalObjectJson(name);
    if (given == null) {
      throw invalid(name, "is missing; it must be a JSON object");
    }
    return given;
  }

  /** An object as the JSON text that came in, or null if absent. */
  public @Nullable String optionalObjectJson(String name) {
    Value value = find(name);
    if (value != null && value.token != JsonToken.START_OBJECT) {
      throw invalid(name, "must be a JSON object");
    }
    return value == null ? null : raw(value);
  }

  /** The fields of a nested object, or null if absent. */
  public @Nullable Fields optionalObject(String name) {
    return optionalObjectJson(name) == null ? null : object(name);
  }

  /** The fields of a nested object. */
  public Fields object(String name) {
    return parse(objectJson(name), prefix + name + ".");
  }

  private String plain(String name, Value value, int max) {
    String said = said(name, value);
    String problem = StrictJson.problemOf(said, max);
    if (problem != null) {
      throw invalid(name, problem);
    }
    return said;
  }

  private @Nullable Value find(String name) {
    Value value = values.get(name);
    return value == null || value.token == JsonToken.VALUE_NULL ? null : value;
  }

  private String raw(Value value) {
    return text.substring(value.start, value.end);
  }

  private Refusal invalid(String name, String mustBe) {
    return Refusal.invalid(prefix + name, mustBe);
  }
}
