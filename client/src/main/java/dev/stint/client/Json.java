package dev.stint.client;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * JSON as plain values: objects are maps in their own order, arrays lists, whole numbers {@code
 * Long}, other numbers {@code Double}; strings, booleans and null are what they are.
 */
public final class Json {
  private static final JsonFactory FACTORY = new JsonFactory();

  private Json() {}

  /** JSON that is ready, to be written as it is wherever a value may stand. */
  public record Text(String json) {
    /**
     * A text that is exactly one JSON value.
     *
     * @throws IllegalArgumentException if it is not
     */
    public static Text checked(String json) {
      read(json);
      return new Text(json);
    }
  }

  /**
   * Reads one value.
   *
   * @throws IllegalArgumentException if the text is not exactly one JSON value
   */
  public static @Nullable Object read(String text) {
    return read(text, Json::number);
  }

  /**
   * Like {@link #read}, but each number is the {@link Text} that it is there, so that it is written
   * again as it was: not all fit into a {@code Long} or {@code Double}.
   */
  public static @Nullable Object readExactly(String text) {
    return read(text, parser -> new Text(parser.getString()));
  }

  private static @Nullable Object read(String text, Function<JsonParser, Object> numbers) {
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw new IllegalArgumentException("there is no JSON in it");
      }
      Object value = value(parser, first, numbers);
      if (parser.nextToken() != null) {
        throw new IllegalArgumentException("something follows the JSON");
      }
      return value;
    } catch (JacksonException e) {
      throw new IllegalArgumentException("not JSON: " + e.getOriginalMessage(), e);
    }
  }

  private static @Nullable Object value(
      JsonParser parser, JsonToken token, Function<JsonParser, Object> numbers) {
    return switch (token) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
          object.put(name, value(parser, parser.nextToken(), numbers));
        }
        yield object;
      }
      case START_ARRAY -> {
        List<@Nullable Object> array = new ArrayList<>();
        for (JsonToken t = parser.nextToken(); t != JsonToken.END_ARRAY; t = parser.nextToken()) {
          array.add(value(parser, t, numbers));
        }
        yield array;
      }
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> numbers.apply(parser);
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }

  private static Object number(JsonParser parser) {
    if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT) {
      try {
        return Long.valueOf(parser.getString());
      } catch (NumberFormatException tooBig) {
        // as one that is not whole
      }
    }
    return parser.getDoubleValue();
  }

  /** Writes a value of the kinds that {@link #read} gives, or a {@link Text}, or any number. */
  public static String write(@Nullable Object value) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
      write(out, value);
    }
    return text.toString();
  }

  private static void write(JsonGenerator out, @Nullable Object value) {
    switch (value) {
      case null -> out.writeNull();
      case Map<?, ?> object -> {
        out.writeStartObject();
        object.forEach((name, member) -> {
          out.writeName(String.valueOf(name));
          write(out, member);
        });
        out.writeEndObject();
      }
      case Iterable<?> array -> {
        out.writeStartArray();
        array.forEach(element -> write(out, element));
        out.writeEndArray();
      }
      case Boolean truth -> out.writeBoolean(truth);
      case Integer number -> out.writeNumber(number);
      case Long number -> out.writeNumber(number);
      case Double number -> out.writeNumber(number);
      case Float number -> out.writeNumber(number);
      case Number number -> out.writeNumber(number.toString());
      case Text text -> out.writeRawValue(text.json());
      default -> out.writeString(String.valueOf(value));
    }
  }
}
