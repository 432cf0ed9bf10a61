package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.cli.Caller.Result;
import dev.stint.client.Answer;
import dev.stint.client.Api;
import dev.stint.client.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The verbs of those who run a fleet, with a real control plane. */
@SuppressWarnings("NullAway.Init") // set before all tests
class OperatorCommandsTest {
  @TempDir private static Path folder;
  @AutoClose private static StintProcess server;
  private static Caller caller;
  private static Api api;

  private final String queue = "q-" + UUID.randomUUID();

  @BeforeAll
  static void start() throws IOException {
    server = StintProcess.start(folder, Map.of(), "server", "--addr", "127.0.0.1:0");
    String url = "http://127.0.0.1:" + server.port();
    caller = new Caller(url);
    api = new Api(url, "dev-token", Duration.ofSeconds(30));
  }

  private static Result ok(String... line) {
    Result result = caller.run(line);
    assertThat(result.code()).as(result.err()).isZero();
    return result;
  }

  private String submit() {
    return ok("submit", "--queue", queue, "--", "true").line();
  }

  private List<String> submit(int count) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(submit());
    }
    return ids;
  }

  private void failNext(String worker, String error) throws IOException {
    Answer claimed = api.get("/next-job?worker_id=" + worker + "&queue=" + queue);
    assertThat(claimed.status()).isEqualTo(200);
    Map<String, @Nullable Object> report = new LinkedHashMap<>();
    report.put("job_id", claimed.string("job_id"));
    report.put("worker_id", worker);
    report.put("assignment_id", claimed.string("assignment_id"));
    report.put("error", error);
    assertThat(api.post("/fail", report).isOk()).isTrue();
  }

  private static String register() throws IOException {
    String worker = "w-" + UUID.randomUUID();
    assertThat(api.post("/register", Map.of("worker_id", worker)).isOk()).isTrue();
    return worker;
  }

  private static String state(String id) throws IOException {
    return String.valueOf(api.get("/jobs/" + id).string("status"));
  }

  @Test
  void aQueueIsPausedShownExplainedAndResumed() {
    String id = submit();
    assertThat(ok("pause", queue, "--reason", "disk full").line()).contains(queue, "paused");
    assertThat(ok("queues").out()).containsPattern(queue + " +1 .*paused: disk full");
    assertThat(ok("explain", id).out()).contains("PENDING", "is paused since", "disk full");
    assertThat(ok("explain", id, "--json").line()).contains("\"code\":\"queue_paused\"");
    assertThat(ok("resume", queue).line()).contains(queue, "jobs again");
    assertThat(ok("resume", queue).line()).isEqualTo("queue " + queue + " was not paused");
    assertThat(ok("resume", queue, "--json").line()).contains("\"changed\":false");
    assertThat(ok("queues", "--json").line()).contains("\"queue\":\"" + queue + "\"");
    assertThat(ok("explain", id).out()).doesNotContain("paused");
  }

  @Test
  void aWorkerIsDrainedAndResumed() throws Exception {
    String worker = register();
    assertThat(ok("drain", worker).line()).contains(worker, "no more jobs");
    assertThat(ok("workers").out()).containsPattern(worker + " +DRAINING");
    submit();
    assertThat(api.get("/next-job?worker_id=" + worker + "&queue=" + queue).status())
        .isEqualTo(204);
    assertThat(ok("resume", "--worker", worker).line()).contains("jobs again");
    assertThat(ok("resume", "--worker", worker).line()).contains(worker, "was not draining");
    assertThat(ok("workers").out()).containsPattern(worker + " +ONLINE");
    Result unknown = caller.run("drain", "nobody");
    assertThat(unknown.code()).isEqualTo(5);
    assertThat(unknown.err()).contains("no such worker; see: stint workers").hasLineCount(1);
  }

  @Test
  void whatFailedIsListedByGroupAndRetriedOneOrAll() throws Exception {
    String worker = register();
    List<String> ids = submit(3);
    for (int i = 0; i < 3; i++) {
      failNext(worker, "cannot open " + queue + " line " + i);
    }
    Map<String, @Nullable Object> group =
        api.get("/v1/dead").objects("groups").stream()
            .filter(any -> String.valueOf(any.get("sample")).contains(queue))
            .findFirst()
            .orElseThrow();
    String fingerprint = String.valueOf(group.get("fingerprint"));
    assertThat(ok("dead").out()).containsPattern(fingerprint + " +3 ");

    assertThat(ok("retry", ids.getFirst()).line()).isEqualTo(ids.getFirst() + " PENDING");
    assertThat(caller.run("retry", ids.getFirst()).code()).isEqualTo(5);
    assertThat(ok("retry", "--fingerprint", fingerprint, "--dry-run").line()).startsWith("2 jobs");
    assertThat(ok("retry", "--queue", queue, "--dry-run").line()).startsWith("2 jobs");
    assertThat(ok("cancel", "--queue", queue, "--dry-run").line()).startsWith("1 job ");
    Result unsure = caller.run("retry", "--fingerprint", fingerprint);
    assertThat(unsure.code()).isEqualTo(2);
    assertThat(unsure.err()).contains("2 jobs", "--yes").hasLineCount(1);
    assertThat(ok("retry", "--fingerprint", fingerprint, "--rate", "1", "--yes").line())
        .isEqualTo("2 done");
    assertThat(ok("jobs", "--queue", queue, "--status", "PENDING").out()).contains(ids);
    Result none = ok("retry", "--fingerprint", fingerprint, "--yes");
    assertThat(none.line()).isEqualTo("0 done");
    assertThat(none.err()).contains("no failed job has this fingerprint; see: stint dead");
  }

  @Test
  void allThatMatchAreCancelledRetriedAndAborted() throws Exception {
    List<String> ids = submit(4);
    assertThat(ok("cancel", "--queue", queue, "--dry-run", "--json").line())
        .isEqualTo("{\"matched\":4}");
    assertThat(ok("cancel", ids.getFirst(), "--reason", "wrong").line()).contains("canceled");
    assertThat(ok("cancel", "--queue", queue, "--status", "PENDING", "--yes").line())
        .isEqualTo("3 done");
    assertThat(state(ids.getLast())).isEqualTo("ABORTED");
    assertThat(ok("cancel", "--queue", queue, "--yes").line()).isEqualTo("0 done");
    assertThat(ok("retry", "--queue", queue, "--rate", "9", "--dry-run").line())
        .isEqualTo("0 jobs match");
    assertThat(Json.read(ok("retry", "--queue", queue, "--since", "1h", "--yes", "--json").line()))
        .isEqualTo(Map.of("done", 4L, "refused", 0L));
    assertThat(ok("abort", "--queue", queue, "--until", "1h", "--yes").line()).isEqualTo("0 done");
    assertThat(ok("abort", "--queue", queue, "--yes").line()).isEqualTo("4 done");
  }

  @Test
  void aDryRunCountsWhatAWorkerHoldsAndAbortsNothing() throws Exception {
    String worker = register();
    submit(2);
    failNext(worker, "it broke");
    Answer held = api.get("/next-job?worker_id=" + worker + "&queue=" + queue);
    String id = String.valueOf(held.string("job_id"));

    assertThat(ok("abort", "--worker", worker, "--dry-run").line()).isEqualTo("1 job matches");
    assertThat(ok("abort", "--worker", worker, "--dry-run", "--json").line())
        .isEqualTo("{\"matched\":1}");
    assertThat(state(id)).isEqualTo("ASSIGNED");
    assertThat(caller.run("abort", id, "--worker", "another").code()).isEqualTo(5);
    assertThat(ok("abort", id, "--worker", worker).line()).isEqualTo(id);
  }

  @Test
  void aJobThatHadEndedIsNotSaidToBeCancelled() throws Exception {
    String id = submit();
    failNext(register(), "it broke");

    assertThat(ok("cancel", id).line()).isEqualTo(id + " had ended before: error");
  }

  @Test
  void jobsAreFoundByTextInTheirMetadata() {
    String text = "owner-" + queue;
    String id =
        ok("submit", "--queue", queue, "--metadata", "{\"o\":\"" + text + "\"}", "true").line();
    submit();
    assertThat(ok("jobs", "--text", text, "--since", "10m", "--queue", queue).out())
        .contains(id)
        .hasLineCount(2);
  }

  @Test
  void topShowsTheFleetOnceWhereNobodyLooks() throws Exception {
    String worker = register();
    submit();
    String shown = ok("top").out();
    assertThat(shown).contains("PENDING", "this minute:", queue, worker, "ONLINE");
    assertThat(ok("top", "--once").out()).contains(queue).doesNotContain("\033");
    Map<?, ?> json = (Map<?, ?>) Objects.requireNonNull(Json.read(ok("top", "--json").line()));
    assertThat(String.valueOf(json.get("overview"))).contains("series", queue);
    assertThat(String.valueOf(json.get("workers"))).contains(worker);
  }
}
