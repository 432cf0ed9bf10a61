package dev.stint.storage;

import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;

/**
 * What one control plane tells the others, as {@code ["node", ["queue", needs id, count], …]}.
 * Needs go by their id, which all control planes on one schema share.
 */
record Announcement(String node, List<Item> items) {
  /** PostgreSQL takes less than 8000 bytes. */
  static final int MAX_BYTES = 7_900;

  record Item(String queue, long needsId, int count) {}

  /** The texts that carry the items, each short enough; an item too long by itself is left out. */
  static List<String> write(String node, List<Item> items) {
    List<String> texts = new ArrayList<>();
    String whole = text(node, items);
    if (whole.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES) {
      texts.add(whole);
    } else if (items.size() > 1) {
      int half = items.size() / 2;
      texts.addAll(write(node, items.subList(0, half)));
      texts.addAll(write(node, items.subList(half, items.size())));
    }
    return texts;
  }

  private static String text(String node, List<Item> items) {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = JsonTexts.JSON.createGenerator(ObjectWriteContext.empty(), out)) {
      json.writeStartArray();
      json.writeString(node);
      for (Item item : items) {
        json.writeStartArray();
        json.writeString(item.queue);
        json.writeNumber(item.needsId);
        json.writeNumber(item.count);
        json.writeEndArray();
      }
      json.writeEndArray();
    }
    return out.toString();
  }

  static Announcement read(String text) {
    List<Item> items = new ArrayList<>();
    try (JsonParser json = JsonTexts.JSON.createParser(ObjectReadContext.empty(), text)) {
      json.nextToken();
      json.nextToken();
      String node = json.getString();
      while (json.nextToken() == JsonToken.START_ARRAY) {
        json.nextToken();
        String queue = json.getString();
        json.nextToken();
        long needsId = json.getLongValue();
        json.nextToken();
        items.add(new Item(queue, needsId, json.getIntValue()));
        json.nextToken();
      }
      return new Announcement(node, items);
    }
  }
}
