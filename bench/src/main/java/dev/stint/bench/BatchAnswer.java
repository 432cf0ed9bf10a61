package dev.stint.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * The answer to a call for many: an outcome for each part, and the leases that it gave.
 *
 * @param jobIds of the parts that named one
 */
record BatchAnswer(List<Integer> statuses, List<String> jobIds, List<Lease> leases) {
  private static final JsonFactory JSON = new JsonFactory();

  /** What a worker gives back to settle a job. */
  record Lease(String jobId, String attemptId, String token) {}

  static BatchAnswer read(Answer answer) throws RunFailedException {
    BatchAnswer read = new BatchAnswer(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    try (JsonParser parser =
        JSON.createParser(
            ObjectReadContext.empty(),
            answer.bytes(),
            answer.bodyStart(),
            answer.bodyEnd() - answer.bodyStart())) {
      parser.nextToken();
      for (String name = parser.nextName(); name != null; name = parser.nextName()) {
        parser.nextToken();
        switch (name) {
          case "results" -> read.readResults(parser);
          case "jobs" -> read.readLeases(parser);
          default -> parser.skipChildren();
        }
      }
    } catch (JacksonException e) {
      throw new RunFailedException("an answer is no JSON: " + answer.shown(), e);
    }
    return read;
  }

  /** Whether there are so many parts, each with this status. */
  boolean allHave(int status, int parts) {
    return statuses.size() == parts && statuses.stream().allMatch(each -> each == status);
  }

  private void readResults(JsonParser parser) {
    while (parser.nextToken() == JsonToken.START_OBJECT) {
      for (String name = parser.nextName(); name != null; name = parser.nextName()) {
        parser.nextToken();
        switch (name) {
          case "status" -> statuses.add(parser.getIntValue());
          case "body" -> {
            String jobId = strings(parser).get("job_id");
            if (jobId != null) {
              jobIds.add(jobId);
            }
          }
          default -> parser.skipChildren();
        }
      }
    }
  }

  private void readLeases(JsonParser parser) {
    while (parser.nextToken() == JsonToken.START_OBJECT) {
      Map<String, String> job = strings(parser);
      leases.add(
          new Lease(
              job.getOrDefault("job_id", ""),
              job.getOrDefault("attempt_id", ""),
              job.getOrDefault("lease_token", "")));
    }
  }

  /** The fields of an object that are strings, the parser at its end. */
  private static Map<String, String> strings(JsonParser parser) {
    Map<String, String> fields = new TreeMap<>();
    for (String name = parser.nextName(); name != null; name = parser.nextName()) {
      if (parser.nextToken() == JsonToken.VALUE_STRING) {
        fields.put(name, parser.getString());
      } else {
        parser.skipChildren();
      }
    }
    return fields;
  }
}
