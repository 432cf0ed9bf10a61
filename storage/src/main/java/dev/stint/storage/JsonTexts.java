package dev.stint.storage;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Lists of strings as JSON: how they are kept in a column and handed to {@code json_each}. */
final class JsonTexts {
  static final JsonFactory JSON = new JsonFactory();

  private JsonTexts() {}

  static String write(Collection<String> texts) {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
      json.writeStartArray();
      for (String text : texts) {
        json.writeString(text);
      }
      json.writeEndArray();
    }
    return out.toString();
  }

  static List<String> read(String array) {
    List<String> texts = new ArrayList<>();
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), array)) {
      json.nextToken();
      while (json.nextToken() == JsonToken.VALUE_STRING) {
        texts.add(json.getString());
      }
    }
    return texts;
  }
}
