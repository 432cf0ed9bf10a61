package dev.stint.server;

import static dev.stint.server.Tasks.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.stint.server.Receiver.Delivery;
import dev.stint.server.Tasks.Envelope;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tasks that are delivered, to receivers that behave well or in any other way. */
class DispatchTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef-dispatch";

  @TempDir private Path folder;

  private @Nullable TestServer stint;

  @AfterEach
  void stop() {
    if (stint != null) {
      stint.close();
    }
  }

  private TestServer start(String... allowed) {
    return start(1, allowed);
  }

  private TestServer start(int timeoutSeconds, String... allowed) {
    TestServer started =
        TestServer.start(
            folder,
            s ->
                s.withFleet(new Settings.Fleet(60, 10, 1))
                    .withCallback(
                        new CallbackSettings(null, List.of(allowed), SECRET, timeoutSeconds)));
    stint = started;
    return started;
  }

  @Test
  void aDeliveredTaskIsSignedAndItsReceiverReportsWithItsToken() throws Exception {
    try (Receiver receiver = Receiver.start(0, delivery -> 202)) {
      TestServer server = start(receiver.url("/hooks"));
      String id =
          submit(
              server, receiver.url("/hooks/run?x=1"), ",\"tenantId\":\"a\",\"payload\":{\"n\":1}");
      Delivery delivery = first(receiver);
      assertThat(delivery.path()).isEqualTo("/hooks/run?x=1");
      assertThat(delivery.host()).isEqualTo("127.0.0.1:" + receiver.port());
      assertThat(delivery.signature()).isEqualTo(signed(delivery));
      assertThat(delivery.fields())
          .contains(
              entry("taskId", id),
              entry("tenantId", "a"),
              entry("attempt", 1L),
              entry("payload", Map.of("n", 1L)),
              entry("callbackBaseUrl", "http://127.0.0.1:" + server.port()));
      assertThat(server.post("/v1/tasks/claim", "{\"workerId\":\"w\"}", ADMIN).status())
          .isEqualTo(204);
      Envelope envelope = delivery.envelope(server).start();
      assertThat(Tasks.read(server, id))
          .contains(entry("state", "RUNNING"), entry("workerId", "worker-abc123"));
      assertThat(envelope.fail("TIMEOUT", "").get("finalState")).isEqualTo("RETRYING");
      Waits.until(() -> receiver.deliveries().size() == 2);
      Envelope second = receiver.deliveries().get(1).envelope(server);
      assertThat(second.attempt()).isEqualTo(2);
      assertThat(second.start().succeed().get("finalState")).isEqualTo("SUCCEEDED");
      assertThat(server.get("/workers", ADMIN).body()).doesNotContain("dispatcher");
    }
  }

  @Test
  void aReceiverWhoseFirstWordIsAHeartbeatHoldsTheTaskToo() throws Exception {
    try (Receiver receiver = Receiver.start(0, delivery -> 202)) {
      TestServer server = start(receiver.url("/hooks"));
      String id = submit(server, receiver.url("/hooks/run"), "");
      Envelope envelope = first(receiver).envelope(server);
      assertThat(envelope.post("heartbeat", envelope.body("")).status()).isEqualTo(200);
      assertThat(Tasks.read(server, id))
          .contains(entry("state", "RUNNING"), entry("workerId", "worker-abc123"));
    }
  }

  private static String signed(Delivery delivery) throws Exception {
    String time = delivery.signature().replaceAll("t=(\\d+),v1=.*", "$1");
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    byte[] hash = mac.doFinal((time + "." + delivery.body()).getBytes(StandardCharsets.UTF_8));
    return "t=" + time + ",v1=" + HexFormat.of().formatHex(hash);
  }

  @ParameterizedTest
  @CsvSource({"500", "301", "404", "503"})
  void whatIsNotAcceptedIsTriedAgainAndUsesUpNoAttempt(int status) throws Exception {
    AtomicInteger calls = new AtomicInteger();
    try (Receiver receiver =
        Receiver.start(0, delivery -> calls.incrementAndGet() == 1 ? status : 200)) {
      TestServer server = start(receiver.url("/"));
      String id = submit(server, receiver.url("/hooks"), ",\"maxAttempts\":1");
      Waits.until(() -> calls.get() >= 2);
      assertThat(receiver.deliveries()).extracting(Delivery::path).containsOnly("/hooks");
      Delivery second = receiver.deliveries().get(1);
      assertThat(second.fields()).containsEntry("attempt", 1L);
      assertThat(Tasks.events(server, id)).contains("not delivered: it answered " + status);
      Envelope stale = receiver.deliveries().getFirst().envelope(server);
      assertThat(stale.post("started", stale.body("")).status()).isEqualTo(409);
      assertThat(second.envelope(server).start().succeed().get("finalState"))
          .isEqualTo("SUCCEEDED");
    }
  }

  @Test
  void aReceiverThatIsSlowIsGivenUpAndTheTaskComesAgain() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    try (Receiver receiver =
        Receiver.start(0, delivery -> calls.incrementAndGet() == 1 ? afterSeconds(5) : 200)) {
      TestServer server = start(receiver.url("/"));
      String id = submit(server, receiver.url("/"), "");
      Waits.until(() -> calls.get() >= 2);
      assertThat(Tasks.events(server, id)).contains("not delivered: no answer within 1 s");
      assertThat(receiver.deliveries().get(1).fields()).containsEntry("attempt", 1L);
    }
  }

  @Test
  void deliveriesThatFailTogetherCountAsOneFailure() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    try (Receiver receiver =
        Receiver.start(0, delivery -> calls.incrementAndGet() <= 8 ? afterSeconds(3) : 200)) {
      TestServer server = start(receiver.url("/"));
      for (int i = 0; i < 12; i++) {
        submit(server, receiver.url("/"), "");
      }
      Waits.until(() -> calls.get() >= 20);
    }
  }

  private static int afterSeconds(int seconds) {
    try {
      Thread.sleep(seconds * 1_000L);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return 200;
  }

  @Test
  void whatWaitsForAReceiverThatIsDownIsDeliveredWhenItIsBackAlsoAfterARestart() throws Exception {
    int port;
    try (Receiver gone = Receiver.start(0, delivery -> 200)) {
      port = gone.port();
    }
    String url = "http://127.0.0.1:" + port + "/";
    TestServer server = start(url);
    String id = submit(server, url, "");
    Waits.until(() -> reason(id).startsWith("not delivered: "));
    assertThat(Tasks.state(server, id)).isIn("QUEUED", "DISPATCHED");
    server.close();
    TestServer again = start(url);
    try (Receiver back = Receiver.start(port, delivery -> 200)) {
      assertThat(first(back).envelope(again).id()).isEqualTo(id);
    }
  }

  private String reason(String id) {
    Object reason = Tasks.read(Objects.requireNonNull(stint), id).get("reason");
    return reason == null ? "" : reason.toString();
  }

  @Test
  void garbageIsNoAnswer() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      AtomicInteger calls = new AtomicInteger();
      Thread.ofVirtual().start(() -> answerGarbage(socket, calls));
      String url = "http://127.0.0.1:" + socket.getLocalPort() + "/";
      TestServer server = start(url);
      String id = submit(server, url, "");
      Waits.until(() -> calls.get() >= 2);
      assertThat(Tasks.events(server, id)).contains("not delivered: the answer is not HTTP");
    }
  }

  private static void answerGarbage(ServerSocket socket, AtomicInteger calls) {
    try {
      while (true) {
        try (Socket connection = socket.accept()) {
          connection.getInputStream().read(new byte[64 * 1024]);
          connection
              .getOutputStream()
              .write("\0\1 200 OK\n".repeat(9).getBytes(StandardCharsets.UTF_8));
          calls.incrementAndGet();
        }
      }
    } catch (IOException closed) {
      // the test is over
    }
  }

  @Test
  void aReceiverThatAcceptsAndNeverCallsBackGetsTheTaskAgain() throws Exception {
    try (Receiver receiver = Receiver.start(0, delivery -> 200)) {
      TestServer server = start(receiver.url("/"));
      submit(server, receiver.url("/"), "");
      Waits.until(() -> receiver.deliveries().size() >= 2);
      Envelope old = receiver.deliveries().getFirst().envelope(server);
      Envelope current = receiver.deliveries().get(1).envelope(server);
      assertThat(current.attempt()).isEqualTo(old.attempt());
      assertThat(old.post("started", old.body("")).get("error")).isEqualTo("attempt_mismatch");
      current.start();
    }
  }

  @Test
  void aReceiverThatBeganKeepsTheTaskWhateverItAnswers() throws Exception {
    AtomicReference<TestServer> server = new AtomicReference<>();
    try (Receiver receiver =
        Receiver.start(
            0,
            delivery -> {
              delivery.envelope(Objects.requireNonNull(server.get())).start();
              return 500;
            })) {
      server.set(start(receiver.url("/")));
      String id = submit(server.get(), receiver.url("/"), "");
      Envelope envelope = first(receiver).envelope(server.get());
      Waits.until(() -> "RUNNING".equals(Tasks.state(server.get(), id)));
      assertThat(envelope.succeed().get("finalState")).isEqualTo("SUCCEEDED");
      assertThat(receiver.deliveries()).hasSize(1);
    }
  }

  @Test
  void aTargetThatDoesNotAnswerDelaysNoOther() throws Exception {
    try (Receiver stuck = Receiver.start(0, delivery -> afterSeconds(30));
        Receiver good = Receiver.start(0, delivery -> 200)) {
      TestServer server = start(stuck.url("/"), good.url("/"));
      for (int i = 0; i < 30; i++) {
        submit(server, stuck.url("/"), ",\"priority\":9");
      }
      for (int i = 0; i < 5; i++) {
        submit(server, good.url("/"), "");
      }
      Waits.until(() -> good.deliveries().size() >= 5);
      assertThat(stuck.deliveries()).hasSizeLessThanOrEqualTo(12);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "http://127.0.0.1:9/hooks, 201",
    "http://127.0.0.1:9/hooks/deeper?q=1, 201",
    "HTTP://127.0.0.1:9/hooks/, 201",
    "http://127.0.0.1:9/hooks2, 403",
    "http://127.0.0.1:9/, 403",
    "http://127.0.0.1/hooks, 403",
    "https://127.0.0.1:9/hooks, 403",
    "http://127.0.0.2:9/hooks, 403",
    "http://2130706433:9/hooks, 403",
    "http://127.0.0.1.example.org:9/hooks, 403",
    "http://127.0.0.1:9/hooks/../admin, 400",
    "http://127.0.0.1:9/hooks/%2e%2E/admin, 400",
    "http://127.0.0.1:9/hooks/..;/admin, 400",
    "http://127.0.0.1:9/hooks/.%2E%3bx=1/admin, 400",
    "http://127.0.0.1:9/hooks/a;x=..;y/b, 201",
    "http://127.0.0.1:9/hooks%2f..%2fadmin, 400",
    "http://user@127.0.0.1:9/hooks, 400",
    "ftp://127.0.0.1:9/hooks, 400",
    "/hooks, 400"
  })
  void onlyAllowedPlacesAreTaken(String url, int status) {
    TestServer server = start("http://127.0.0.1:9/hooks/");
    Answer answer = server.post("/v1/tasks", "{\"dispatchUrl\":\"" + url + "\"}", ADMIN);
    assertThat(answer.status()).as(answer.body()).isEqualTo(status);
    if (status == 403) {
      assertThat(answer.get("error")).isEqualTo("dispatch_not_allowed");
    }
  }

  @Test
  void noPlaceIsAllowedByDefault() {
    TestServer server = start();
    Answer answer = server.post("/v1/tasks", "{\"dispatchUrl\":\"http://example.org/\"}", ADMIN);
    assertThat(answer.status()).isEqualTo(403);
  }

  @Test
  void aServerThatStopsRefusesCallsWhileItWaitsForADeliveryButTakesItsReport() throws Exception {
    CountDownLatch mayAnswer = new CountDownLatch(1);
    try (Receiver receiver = Receiver.start(0, delivery -> await(mayAnswer))) {
      TestServer server = start(60, receiver.url("/hooks"));
      submit(server, receiver.url("/hooks/run"), "");
      Envelope envelope = first(receiver).envelope(server);

      CompletableFuture<Void> stopped = CompletableFuture.runAsync(server::close);

      Waits.until(() -> server.get("/v1/queues", ADMIN).status() == 503);
      envelope.start();
      mayAnswer.countDown();
      stopped.get(60, TimeUnit.SECONDS);
    }
  }

  private static int await(CountDownLatch latch) {
    try {
      latch.await();
      return 202;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Delivery first(Receiver receiver) throws InterruptedException {
    Waits.until(() -> !receiver.deliveries().isEmpty());
    return receiver.deliveries().getFirst();
  }

  private static String submit(TestServer server, String url, String furtherFields) {
    return Tasks.submit(server, "{\"dispatchUrl\":\"" + url + "\"" + furtherFields + "}");
  }
}
