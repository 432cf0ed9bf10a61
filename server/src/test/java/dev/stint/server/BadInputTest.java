package dev.stint.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever comes in is refused with the settled status, never a 500, and leaves nothing behind. */
class BadInputTest {
  private static final String SUBMIT = "/v1/jobs";
  private static final String CLAIM = "/internal/worker/claim";
  private static final String HEARTBEAT = "/internal/worker/heartbeat";
  private static final String COMPLETE = "/internal/worker/complete";
  private static final String FAIL = "/internal/worker/fail";

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private static TestServer server;

  @BeforeAll
  static void start(@TempDir Path folder) {
    server = TestServer.start(folder);
  }

  /** Bodies that are no JSON object, for every route that takes one. */
  static Stream<Arguments> malformed() {
    List<Arguments> cases = new ArrayList<>();
    for (String path : List.of(SUBMIT, CLAIM, HEARTBEAT, COMPLETE, FAIL)) {
      for (byte[] body :
          List.of(
              bytes(""),
              bytes(" "),
              bytes("{"),
              bytes("{\"task\":\"chat\",\"payload\":{"),
              bytes("{\"task\":\"cha"),
              bytes("[]"),
              bytes("[{\"task\":\"chat\"}]"),
              bytes("null"),
              bytes("7"),
              bytes("\"text\""),
              bytes("{} {}"),
              bytes("{} x"),
              bytes("{'task':'chat'}"),
              bytes("{task:1}"),
              bytes("{\"a\":1,}"),
              bytes("{\"a\":01}"),
              bytes("{\"a\":NaN}"),
              bytes("{\"a\":.5}"),
              bytes("{\"a\":\"tab\tinside\"}"),
              bytes("{\"a\":\"\\x\"}"),
              bytes("// comment\n{}"),
              bytes("{\"a\":1,\"a\":2}"),
              bytes("{\"payload\":{\"a\":1,\"a\":2}}"),
              bytes("{\"a\":" + "[".repeat(64) + "]".repeat(64) + "}"),
              bytes("{\"a\":" + "[".repeat(100_000)),
              bytes("{\"a\":" + "9".repeat(2_000) + "}"),
              bytes("{\"a\":1." + "9".repeat(2_000) + "}"),
              new byte[] {'{', '"', 'a', '"', ':', '"', (byte) 0xff, '"', '}'},
              new byte[] {'{', '"', 'a', '"', ':', '"', (byte) 0xc0, (byte) 0x80, '"', '}'},
              new byte[] {
                '{', '"', 'a', '"', ':', '"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"', '}'
              },
              "{}".getBytes(java.nio.charset.StandardCharsets.UTF_16))) {
        cases.add(Arguments.of(path, body));
      }
    }
    return cases.stream();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  @ParameterizedTest
  @MethodSource
  void malformed(String path, byte[] body) {
    Answer answer =
        server.send(server.request(path).POST(HttpRequest.BodyPublishers.ofByteArray(body)));

    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
    assertThat(answer.get("error")).isEqualTo("malformed_request");
    assertNothingWasDone();
  }

  /** A field that is not as it should be, and the name that the answer has to give. */
  static Stream<Arguments> invalid() {
    String held = "\"worker_id\":\"w\",\"job_id\":\"j\",\"attempt_id\":\"a\",\"lease_token\":\"t\"";
    return Stream.of(
        Arguments.of(SUBMIT, "{}", "task"),
        Arguments.of(SUBMIT, "{\"task\":null,\"payload\":{}}", "task"),
        Arguments.of(SUBMIT, "{\"task\":5,\"payload\":{}}", "task"),
        Arguments.of(SUBMIT, "{\"task\":\"bake\",\"payload\":{}}", "task"),
        Arguments.of(SUBMIT, "{\"task\":\"chat\"}", "payload"),
        Arguments.of(SUBMIT, "{\"task\":\"chat\",\"payload\":null}", "payload"),
        Arguments.of(SUBMIT, "{\"task\":\"chat\",\"payload\":[]}", "payload"),
        Arguments.of(SUBMIT, "{\"task\":\"chat\",\"payload\":\"{}\"}", "payload"),
        Arguments.of(SUBMIT, submit("\"ttl_s\":0"), "ttl_s"),
        Arguments.of(SUBMIT, submit("\"ttl_s\":\"60\""), "ttl_s"),
        Arguments.of(SUBMIT, submit("\"ttl_s\":1.5"), "ttl_s"),
        Arguments.of(SUBMIT, submit("\"ttl_s\":" + "9".repeat(40)), "ttl_s"),
        Arguments.of(SUBMIT, submit("\"priority\":2147483648"), "priority"),
        Arguments.of(SUBMIT, submit("\"priority\":1e-3"), "priority"),
        Arguments.of(SUBMIT, submit("\"scheduled_at\":-1"), "scheduled_at"),
        Arguments.of(SUBMIT, submit("\"scheduled_at\":9223372036854775807"), "scheduled_at"),
        Arguments.of(SUBMIT, submit("\"max_attempts\":0"), "max_attempts"),
        Arguments.of(SUBMIT, submit("\"queue\":\"\""), "queue"),
        Arguments.of(SUBMIT, submit("\"queue\":\"a\\u0000b\""), "queue"),
        Arguments.of(SUBMIT, submit("\"queue\":\"a\\nb\""), "queue"),
        Arguments.of(SUBMIT, submit("\"queue\":\"\\ud800\""), "queue"),
        Arguments.of(SUBMIT, submit("\"queue\":\"\\udc00\\ud800\""), "queue"),
        Arguments.of(SUBMIT, submit("\"queue\":\"" + "q".repeat(201) + "\""), "queue"),
        Arguments.of(SUBMIT, submit("\"requirements\":\"gpu\""), "requirements"),
        Arguments.of(SUBMIT, submit("\"requirements\":[5]"), "requirements"),
        Arguments.of(SUBMIT, submit("\"requirements\":[null]"), "requirements"),
        Arguments.of(SUBMIT, submit("\"requirements\":[[\"gpu\"]]"), "requirements"),
        Arguments.of(SUBMIT, submit("\"requirements\":[\"\"]"), "requirements"),
        Arguments.of(SUBMIT, submit("\"metadata\":[]"), "metadata"),
        Arguments.of(CLAIM, "{\"streams\":[\"s\"]}", "worker_id"),
        Arguments.of(CLAIM, "{\"worker_id\":{},\"streams\":[\"s\"]}", "worker_id"),
        Arguments.of(CLAIM, "{\"worker_id\":\"w\"}", "streams"),
        Arguments.of(CLAIM, "{\"worker_id\":\"w\",\"streams\":[]}", "streams"),
        Arguments.of(CLAIM, "{\"worker_id\":\"w\",\"streams\":\"s\"}", "streams"),
        Arguments.of(CLAIM, "{\"worker_id\":\"w\",\"streams\":[\"s\",7]}", "streams"),
        Arguments.of(CLAIM, claim("\"max_wait_ms\":-1"), "max_wait_ms"),
        Arguments.of(CLAIM, claim("\"max_wait_ms\":true"), "max_wait_ms"),
        Arguments.of(CLAIM, claim("\"capabilities\":{}"), "capabilities"),
        Arguments.of(CLAIM, claim("\"claim_id\":7"), "claim_id"),
        Arguments.of(HEARTBEAT, "{\"worker_id\":\"w\",\"job_id\":\"j\"}", "lease_token"),
        Arguments.of(HEARTBEAT, "{" + held + ",\"progress\":101}", "progress"),
        Arguments.of(HEARTBEAT, "{" + held + ",\"progress\":\"5\"}", "progress"),
        Arguments.of(
            COMPLETE, "{\"worker_id\":\"w\",\"job_id\":\"j\",\"lease_token\":\"t\"}", "attempt_id"),
        Arguments.of(COMPLETE, "{\"worker_id\":\"w\"}", "job_id"),
        Arguments.of(FAIL, "{" + held + "}", "error"),
        Arguments.of(FAIL, "{" + held + ",\"error\":\"bad\"}", "error"),
        Arguments.of(FAIL, "{" + held + ",\"error\":{\"retryable\":1}}", "error.retryable"));
  }

  private static String submit(String field) {
    return "{\"task\":\"chat\",\"payload\":{}," + field + "}";
  }

  private static String claim(String field) {
    return "{\"worker_id\":\"w\",\"streams\":[\"s\"]," + field + "}";
  }

  @ParameterizedTest
  @MethodSource
  void invalid(String path, String body, String field) {
    Answer answer = server.post(path, body);

    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
    assertThat(answer.get("error")).isEqualTo("invalid_request");
    assertThat(answer.text("message")).containsPattern("`" + Pattern.quote(field) + "(\\[\\d+])?`");
    assertNothingWasDone();
  }

  private static void assertNothingWasDone() {
    assertThat(server.get("/metrics").body())
        .doesNotContain("stint_jobs{")
        .contains("stint_events_total{type=\"submitted\"} 0.0");
  }
}
