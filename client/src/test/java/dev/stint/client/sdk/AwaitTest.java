package dev.stint.client.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting for a job that does not end, at a control plane that says what a test wants. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AwaitTest {
  private static final byte[] JOB =
      "{\"job_id\":\"j1\",\"status\":\"running\"}".getBytes(StandardCharsets.UTF_8);
  private static final byte[] DONE =
      "{\"job_id\":\"j1\",\"status\":\"done\"}".getBytes(StandardCharsets.UTF_8);
  private static final byte[] SIGN_OF_LIFE = ": here\n\n".getBytes(StandardCharsets.UTF_8);

  private final CountDownLatch opened = new CountDownLatch(1);
  private final CountDownLatch hungUp = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @SuppressWarnings("NullAway.Init")
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/v1/jobs/j1", AwaitTest::job);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
    threads.shutdownNow();
  }

  private static void job(HttpExchange call) throws IOException {
    answer(call, 200, JOB);
  }

  private static void answer(HttpExchange call, int status, byte[] body) throws IOException {
    try (call) {
      call.sendResponseHeaders(status, body.length);
      call.getResponseBody().write(body);
    }
  }

  /** Waits for a while, and again if that was too short to come to the events. */
  private JobView await(HttpHandler events) throws IOException {
    server.createContext(
        "/v1/jobs/j1/events",
        call -> {
          opened.countDown();
          events.handle(call);
        });
    StintClient client = client();
    JobView job;
    do {
      job = client.await("j1", Duration.ofMillis(300)).orElseThrow();
    } while (opened.getCount() > 0);
    return job;
  }

  private StintClient client() {
    return StintClient.to("http://127.0.0.1:" + server.getAddress().getPort(), null);
  }

  @Test
  void whatIsInTheWayForAMomentDoesNotEndTheWait() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    AtomicInteger followed = new AtomicInteger();
    server.removeContext("/v1/jobs/j1");
    server.createContext(
        "/v1/jobs/j1",
        call ->
            answer(
                call,
                asked.getAndIncrement() % 2 == 0 ? 503 : 200,
                followed.get() < 4 ? JOB : DONE));
    server.createContext(
        "/v1/jobs/j1/events",
        call -> {
          switch (followed.getAndIncrement()) {
            case 0 -> answer(call, 429, new byte[0]);
            case 1 -> answer(call, 503, new byte[0]);
            case 2 -> breakOff(call);
            default -> answer(call, 200, SIGN_OF_LIFE);
          }
        });

    assertThat(client().await("j1", Duration.ofMinutes(1)).orElseThrow().status())
        .isEqualTo("done");
  }

  private static void breakOff(HttpExchange call) throws IOException {
    call.sendResponseHeaders(200, 1_000);
    call.getResponseBody().write(SIGN_OF_LIFE);
    call.getResponseBody().flush();
    call.close();
  }

  @Test
  void eventsThatEndAtOnceAreNotAskedForAllTheTime() throws Exception {
    AtomicInteger followed = new AtomicInteger();
    server.createContext(
        "/v1/jobs/j1/events",
        call -> {
          followed.incrementAndGet();
          answer(call, 200, SIGN_OF_LIFE);
        });

    assertThat(client().await("j1", Duration.ofSeconds(2)).orElseThrow().isOver()).isFalse();
    assertThat(followed).hasValueBetween(1, 6);
  }

  @Test
  void aRefusalAndATimeThatIsUpEndTheWait() {
    server.createContext("/v1/jobs/j2", call -> answer(call, 401, new byte[0]));
    server.createContext("/v1/jobs/j3", call -> answer(call, 503, new byte[0]));

    assertThatThrownBy(() -> client().await("j2", Duration.ofMinutes(1)))
        .isInstanceOf(RefusedException.class);
    assertThatThrownBy(() -> client().await("j3", Duration.ofMillis(300)))
        .isExactlyInstanceOf(IOException.class)
        .hasMessageContaining("answers 503");
  }

  @Test
  void signsOfLifeDoNotMakeTheWaitLonger() throws Exception {
    JobView job = await(this::live);

    assertThat(job.status()).isEqualTo("running");
    hungUp.await();
  }

  private void live(HttpExchange call) throws IOException {
    call.sendResponseHeaders(200, 0);
    try (call;
        OutputStream body = call.getResponseBody()) {
      while (true) {
        body.write(SIGN_OF_LIFE);
        body.flush();
        Thread.sleep(20);
      }
    } catch (IOException e) {
      hungUp.countDown();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void theTimeMayBeUpBeforeTheEventsBegin() throws Exception {
    assertThat(await(call -> {}).status()).isEqualTo("running");
  }
}
