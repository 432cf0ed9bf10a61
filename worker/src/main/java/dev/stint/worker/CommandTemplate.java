package dev.stint.worker;

import dev.stint.client.Json;
import dev.stint.client.sdk.Job;
import dev.stint.client.sdk.JobFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A command with places for what differs from job to job: {@code {job_id}}, {@code {task}}, {@code
 * {payload}} (as JSON) and {@code {payload.name}} (a field of it; text as it is, all else as JSON).
 * There is no shell, so a job's text stays one word whatever is in it.
 */
final class CommandTemplate {
  private static final Pattern PLACE = Pattern.compile("\\{(job_id|task|payload(?:\\.([^{}]+))?)}");

  private final List<String> words;

  CommandTemplate(List<String> words) {
    if (words.isEmpty() || words.getFirst().isEmpty()) {
      throw new IllegalArgumentException("there is no command");
    }
    if (PLACE.matcher(words.getFirst()).find()) {
      throw new IllegalArgumentException("a job must not choose the command: " + words.getFirst());
    }
    this.words = List.copyOf(words);
  }

  List<String> fill(Job job) throws JobFailedException {
    List<String> filled = new ArrayList<>();
    for (String word : words) {
      filled.add(fill(word, job));
    }
    return filled;
  }

  private static String fill(String word, Job job) throws JobFailedException {
    StringBuilder filled = new StringBuilder();
    Matcher place = PLACE.matcher(word);
    while (place.find()) {
      place.appendReplacement(filled, Matcher.quoteReplacement(value(place, job)));
    }
    return place.appendTail(filled).toString();
  }

  private static String value(Matcher place, Job job) throws JobFailedException {
    String field = place.group(2);
    if (field != null) {
      return field(Json.readExactly(job.payloadJson()), field);
    }
    return switch (place.group(1)) {
      case "job_id" -> job.id();
      case "task" -> job.task() == null ? "" : job.task();
      default -> job.payloadJson();
    };
  }

  private static String field(@Nullable Object payload, String name) throws JobFailedException {
    if (payload instanceof Map<?, ?> fields && fields.containsKey(name)) {
      return fields.get(name) instanceof String text ? text : Json.write(fields.get(name));
    }
    throw JobFailedException.forGood("MISSING_FIELD", "the payload has no " + name);
  }
}
