package dev.stint.bench;

import java.io.StringWriter;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Sheets for a program: one JSON object. What could not be measured is null. */
final class SheetJson {
  private static final JsonFactory JSON = new JsonFactory();

  private final JsonGenerator json;

  private SheetJson(JsonGenerator json) {
    this.json = json;
  }

  static String of(List<Sheet> sheets) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeBooleanProperty("ok", true);
      json.writeNumberProperty("cores", Report.cores());
      json.writeStringProperty("java", Runtime.version().toString());
      json.writeArrayPropertyStart("sheets");
      sheets.forEach(new SheetJson(json)::write);
      json.writeEndArray();
      json.writeEndObject();
    }
    return text.toString();
  }

  private void write(Sheet sheet) {
    json.writeStartObject();
    json.writeStringProperty("name", sheet.name());
    json.writeStringProperty("title", sheet.title());
    json.writeObjectPropertyStart("facts");
    sheet.facts().forEach((what, value) -> json.writeStringProperty(key(what), value));
    json.writeEndObject();
    json.writeArrayPropertyStart("rows");
    for (List<Object> row : sheet.rows()) {
      json.writeStartObject();
      for (int column = 0; column < row.size(); column++) {
        value(key(sheet.columns().get(column)), row.get(column));
      }
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayPropertyStart("aims");
    sheet.aims().forEach(this::write);
    json.writeEndArray();
    json.writeArrayPropertyStart("notes");
    sheet.notes().forEach(json::writeString);
    json.writeEndArray();
    json.writeEndObject();
  }

  private void write(Sheet.Aim aim) {
    json.writeStartObject();
    json.writeStringProperty("what", aim.what());
    json.writeStringProperty("bound", aim.bound());
    value("measured", aim.value().<Object>map(Object.class::cast).orElse("-"));
    json.writeBooleanProperty("reached", aim.isReached());
    json.writeEndObject();
  }

  private void value(String name, Object value) {
    switch (value) {
      case Double number ->
          json.writeNumberProperty(name, Math.round(number.doubleValue() * 1e3) / 1e3);
      case Number number -> json.writeNumberProperty(name, number.longValue());
      case String text when text.equals("-") -> json.writeNullProperty(name);
      default -> json.writeStringProperty(name, value.toString());
    }
  }

  /** "jobs/s" becomes jobs_per_s. */
  private static String key(String words) {
    return words
        .toLowerCase(Locale.ROOT)
        .replace("÷", "to")
        .replace("/", "_per_")
        .replaceAll("[^a-z0-9]+", "_")
        .replaceAll("^_|_$", "");
  }
}
