package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.testkit.CutProxy;
import dev.stint.testkit.TestCertificate;
import dev.stint.testkit.TestRedis;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Redis that is reached by TLS alone: the control plane and the native worker, each in a process
 * of its own, as what a JVM trusts holds for all of it.
 */
@Timeout(120)
class RedisTlsTest {
  private static final String TRUSTS_THE_USUAL_ONES = "";
  private static final Pattern LISTENS = Pattern.compile("stint listens on (http://[^\\s,]+)");
  private static final Pattern JOB_ID = Pattern.compile("\"job_id\":\"([^\"]+)\"");

  private final HttpClient http = HttpClient.newHttpClient();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void aServerAndANativeWorkerThatTrustTheCertificateDoAJobTogether() throws Exception {
    TestCertificate certificate = TestCertificate.make(folder, "dns:localhost");
    try (TestRedis redis = TestRedis.start("--requirepass", "s3cret");
        CutProxy tls = CutProxy.behindTls(certificate.context(), redis.port());
        StintProcess server = server(":s3cret@" + at(tls), certificate.trustingOptions());
        StintProcess worker = worker(":s3cret@" + at(tls), certificate.trustingOptions())) {
      String url = logged("server", LISTENS).group(1);

      String id = submitted(url);

      String events = get(url + "/v1/jobs/" + id + "/events");
      assertThat(events).contains("event: running", "event: done");
      assertThat(get(url + "/v1/jobs/" + id)).contains("\"result\":{\"say\":\"hello\"}");
      Caller.Result check = new Caller(url).run("redis", "check");
      assertThat(check.code()).as(check.out() + check.err()).isZero();
      assertThat(server.isAlive()).isTrue();
      assertThat(worker.isAlive()).isTrue();
    }
  }

  @Test
  void aCertificateThatIsNotTrustedIsRefusedAndBothSayWhy() throws Exception {
    refusesAndSaysWhy(
        TestCertificate.make(folder, "dns:localhost"),
        TRUSTS_THE_USUAL_ONES,
        "unable to find valid certification path");
  }

  @Test
  void aCertificateOfAnotherNameIsRefusedThoughItIsTrusted() throws Exception {
    TestCertificate certificate = TestCertificate.make(folder, "dns:redis.example.org");
    refusesAndSaysWhy(
        certificate,
        certificate.trustingOptions(),
        "No subject alternative DNS name matching localhost found");
  }

  private void refusesAndSaysWhy(TestCertificate certificate, String javaOptions, String why)
      throws Exception {
    try (TestRedis redis = TestRedis.start();
        CutProxy tls = CutProxy.behindTls(certificate.context(), redis.port());
        StintProcess server = server(at(tls), javaOptions);
        StintProcess worker = worker(at(tls), javaOptions)) {
      String place = Pattern.quote("rediss://" + at(tls));
      String reason = "[^\\n]*" + Pattern.quote(why);
      logged("server", Pattern.compile(place + " does not answer" + reason));
      logged("worker", Pattern.compile("Redis is away, trying again: " + place + reason));

      assertThat(submitted(logged("server", LISTENS).group(1))).isNotEmpty();
      assertThat(redis.command("DBSIZE")).as("keys that came through").isEqualTo(":0");
      assertThat(server.isAlive()).isTrue();
      assertThat(worker.isAlive()).isTrue();
    }
  }

  private StintProcess server(String place, String javaOptions) throws Exception {
    String db = folder.resolve("stint.db").toString();
    return start("server", place, javaOptions, "server", "--addr", "127.0.0.1:0", "--db", db);
  }

  private StintProcess worker(String place, String javaOptions) throws Exception {
    return start("worker", place, javaOptions, "worker", "--", "cat");
  }

  private StintProcess start(String name, String place, String javaOptions, String... arguments)
      throws Exception {
    return StintProcess.logging(
        log(name),
        Map.of("STINT_REDIS", "rediss://" + place, "JAVA_TOOL_OPTIONS", javaOptions),
        arguments);
  }

  private static String at(CutProxy tls) {
    return "localhost:" + tls.port();
  }

  private Path log(String name) {
    return folder.resolve(name + ".log");
  }

  /** Waits for something in the log of one of them. */
  private Matcher logged(String name, Pattern what) throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (true) {
      String log = Files.readString(log(name));
      Matcher found = what.matcher(log);
      if (found.find()) {
        return found;
      }
      if (System.nanoTime() > end) {
        throw new AssertionError("no '%s' in what the %s says: %s".formatted(what, name, log));
      }
      Thread.sleep(20);
    }
  }

  private String submitted(String url) throws Exception {
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(URI.create(url + "/v1/jobs"))
                .header("Content-Type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"task\":\"chat\",\"payload\":{\"say\":\"hello\"}}"))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    Matcher id = JOB_ID.matcher(answer.body());
    assertThat(id.find()).isTrue();
    return id.group(1);
  }

  private String get(String url) throws Exception {
    return http.send(
            HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }
}
