package dev.stint.cli;

import dev.stint.client.Answer;
import dev.stint.client.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A verb for all jobs that a filter fits: says how many, asks, and goes on batch by batch. What has
 * been done when it is interrupted stays done, and the same command goes on with the rest.
 */
final class Bulk {
  private final ControlPlane control;
  private final BulkOptions options;

  Bulk(ControlPlane control, BulkOptions options) {
    this.control = control;
    this.options = options;
  }

  /**
   * Counts all that match, and carries out the verb.
   *
   * @param verb as it is told to people
   * @param path where it is done
   * @param counting the body that counts, but for that it is to count only
   * @param doing the body that does it
   */
  int run(
      String verb,
      String path,
      Map<String, @Nullable Object> counting,
      Map<String, @Nullable Object> doing)
      throws IOException {
    return run(verb, path, count(counting), doing);
  }

  /** Replays a group of dead letters. */
  int replayGroup(String fingerprint, Map<String, @Nullable Object> body) throws IOException {
    long size = groupSize(fingerprint);
    if (size == 0) {
      control.say("stint: no failed job has this fingerprint; see: stint dead");
    }
    return run("retry", "/v1/dead/replay", size, body);
  }

  private int run(String verb, String path, long count, Map<String, @Nullable Object> doing)
      throws IOException {
    if (options.isDryRun()) {
      return tellCount(count);
    }
    if (count > 0 && !options.isSure() && !isAgreed(verb, count)) {
      return ExitCodes.BAD_SETTING;
    }
    long done = 0;
    long refused = 0;
    try (BulkBar bar = BulkBar.on(control.screen(), verb, count)) {
      String next = null;
      boolean isMore = count > 0;
      while (isMore) {
        Answer answer = control.post(path, at(doing, next));
        done += answer.number("done", answer.number("replayed", 0));
        refused += answer.number("refused", 0);
        bar.stepTo(done + refused);
        next = answer.string("next");
        isMore = next != null;
      }
    }
    Map<String, @Nullable Object> result = new LinkedHashMap<>();
    result.put("done", done);
    result.put("refused", refused);
    tell(result, done + " done" + (refused == 0 ? "" : ", " + refused + " refused"));
    return ExitCodes.OK;
  }

  /** The group's own count, which is kept and need not be counted. */
  private long groupSize(String fingerprint) throws IOException {
    String next = null;
    do {
      Answer page = control.get(new Query("/v1/dead").with("cursor", next).toString());
      for (Map<String, @Nullable Object> group : page.objects("groups")) {
        Fields fields = new Fields(group);
        if (fields.text("fingerprint").equals(fingerprint)) {
          return fields.number("count");
        }
      }
      next = page.string("next");
    } while (next != null);
    return 0;
  }

  /** Says how many jobs it would be, which is all that a dry run does. */
  int tellCount(long count) {
    tell(Map.of("matched", count), count == 1 ? "1 job matches" : count + " jobs match");
    return ExitCodes.OK;
  }

  /** How many jobs the filter of this body fits. */
  long count(Map<String, @Nullable Object> counting) throws IOException {
    long count = 0;
    String next = null;
    do {
      Map<String, @Nullable Object> body = at(counting, next);
      body.put("dry_run", true);
      Answer answer = control.post("/v1/jobs/bulk", body);
      count += answer.number("matched", 0);
      next = answer.string("next");
    } while (next != null);
    return count;
  }

  private static Map<String, @Nullable Object> at(
      Map<String, @Nullable Object> body, @Nullable String cursor) {
    Map<String, @Nullable Object> next = new LinkedHashMap<>(body);
    if (cursor != null) {
      next.put("cursor", cursor);
    }
    return next;
  }

  private boolean isAgreed(String verb, long count) throws IOException {
    if (!control.screen().isErrorTerminal()) {
      control.say("stint: this would " + verb + " " + jobs(count) + "; say --yes if it shall");
      return false;
    }
    control.say(verb + " " + jobs(count) + "? [y/N]");
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
    String answer = in.readLine();
    return answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
  }

  private static String jobs(long count) {
    return count == 1 ? "1 job" : count + " jobs";
  }

  private void tell(Map<String, ? extends @Nullable Object> result, String words) {
    control.print(control.isJson() ? Json.write(result) : words);
  }
}
