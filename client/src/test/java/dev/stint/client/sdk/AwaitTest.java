package dev.stint.client.sdk;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting for a job that does not end, at a control plane that says what a test wants. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AwaitTest {
  private static final byte[] JOB =
      "{\"job_id\":\"j1\",\"status\":\"running\"}".getBytes(StandardCharsets.UTF_8);
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
    try (call) {
      call.sendResponseHeaders(200, JOB.length);
      call.getResponseBody().write(JOB);
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
    StintClient client = StintClient.to("http://127.0.0.1:" + server.getAddress().getPort(), null);
    JobView job;
    do {
      job = client.await("j1", Duration.ofMillis(300)).orElseThrow();
    } while (opened.getCount() > 0);
    return job;
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
