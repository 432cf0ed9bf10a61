package dev.stint.storage;

import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;

/**
 * What one control plane tells the others, as {@code ["node", ["queue", needs id, count], …, "job
 * id", …, true]}. Needs go by their id, which all control planes on one schema share.
 */
record Announcement(String node, List<Item> items) {
  /** PostgreSQL takes less than 8000 bytes. */
  static final int MAX_BYTES = 7_900;

  /** One thing that is told. */
  sealed interface Item {}

  /** So many jobs became claimable. */
  record Claimable(String queue, long needsId, int count) implements Item {}

  /** A job has new events. */
  record News(UUID jobId) implements Item {}

  /** The sender wants to know of new events. */
  record Interest() implements Item {}

  /** The texts that carry the items, each short enough; an item too long by itself is left out. */
  static List<String> write(String node, List<? extends Item> items) {
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

  private static String text(String node, List<? extends Item> items) {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = JsonTexts.JSON.createGenerator(ObjectWriteContext.empty(), out)) {
      json.writeStartArray();
      json.writeString(node);
      for (Item item : items) {
        switch (item) {
          case Claimable claimable -> {
            json.writeStartArray();
            json.writeString(claimable.queue);
            json.writeNumber(claimable.needsId);
            json.writeNumber(claimable.count);
            json.writeEndArray();
          }
          case News news -> json.writeString(news.jobId.toString());
          case Interest _ -> json.writeBoolean(true);
        }
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
      for (JsonToken next = json.nextToken();
          next != JsonToken.END_ARRAY;
          next = json.nextToken()) {
        items.add(item(json, next));
      }
      return new Announcement(node, items);
    }
  }

  private static Item item(JsonParser json, JsonToken first) {
    if (first == JsonToken.VALUE_TRUE) {
      return new Interest();
    }
    if (first == JsonToken.VALUE_STRING) {
      return new News(UUID.fromString(json.getString()));
    }
    json.nextToken();
    String queue = json.getString();
    json.nextToken();
    long needsId = json.getLongValue();
    json.nextToken();
    Claimable claimable = new Claimable(queue, needsId, json.getIntValue());
    json.nextToken();
    return claimable;
  }
}
