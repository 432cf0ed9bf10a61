package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.client.ServerEvent;
import dev.stint.client.ServerEvents;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** All readers of a job see every event once, in order, and the end, whatever happens meanwhile. */
@Timeout(120)
class ManyReadersTest {
  private static final List<String> WHOLE_LIFE =
      List.of("queued", "running", "progress", "output", "progress", "output", "message", "done");

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void aThousandReadersOfAHundredJobs() throws Exception {
    try (TestServer server = TestServer.start(folder)) {
      List<String> jobs = submit(server, 100);
      AtomicInteger greeted = new AtomicInteger();
      Map<String, List<Future<List<ServerEvent>>>> readers = new HashMap<>();
      for (int i = 0; i < 1_000; i++) {
        String job = jobs.get(i % jobs.size());
        readers
            .computeIfAbsent(job, id -> new ArrayList<>())
            .add(threads.submit(() -> readAll(server.port(), job, greeted)));
      }
      Waits.until(() -> greeted.get() == 1_000);

      runAll(server, jobs.size());

      for (List<Future<List<ServerEvent>>> ofJob : readers.values()) {
        List<ServerEvent> first = ofJob.getFirst().get(60, TimeUnit.SECONDS);
        assertThat(Streams.types(first)).isEqualTo(WHOLE_LIFE);
        for (Future<List<ServerEvent>> reader : ofJob) {
          assertThat(reader.get(60, TimeUnit.SECONDS)).isEqualTo(first);
        }
      }
    }
  }

  @Test
  void readersThatReconnectAtRandomPoints() throws Exception {
    try (TestServer server = TestServer.start(folder)) {
      List<String> jobs = submit(server, 10);
      Map<String, List<Future<List<ServerEvent>>>> readers = new HashMap<>();
      for (int i = 0; i < 100; i++) {
        String job = jobs.get(i % jobs.size());
        Random random = new Random(i);
        readers
            .computeIfAbsent(job, id -> new ArrayList<>())
            .add(threads.submit(() -> readInPieces(server, job, random)));
      }
      runAll(server, jobs.size());
      for (List<Future<List<ServerEvent>>> ofJob : readers.values()) {
        for (Future<List<ServerEvent>> reader : ofJob) {
          List<ServerEvent> read = reader.get(60, TimeUnit.SECONDS);
          assertThat(Streams.types(read)).isEqualTo(WHOLE_LIFE);
          assertThat(read).isEqualTo(ofJob.getFirst().get());
        }
      }
    }
  }

  @Test
  void aReaderResumesAfterTheServerWasStartedAnewInTheMiddleOfItsStream() throws Exception {
    String job;
    Jobs.Lease lease;
    List<ServerEvent> read = new ArrayList<>();
    try (TestServer server = TestServer.start(folder)) {
      job = Jobs.submit(server, "");
      lease = Jobs.lease(server, "w1");
      try (ServerEvents stream = Streams.open(server.port(), job, null)) {
        Streams.next(stream);
        read.add(Streams.next(stream));
        server.post("/internal/worker/heartbeat", lease.with(",\"progress\":10"));
        server.server().drain();
        for (ServerEvent e = stream.next(); e != null; e = stream.next()) {
          read.add(e);
        }
      }
    }
    try (TestServer server = TestServer.start(folder)) {
      server.post("/internal/worker/heartbeat", lease.with(",\"progress\":20"));
      try (ServerEvents stream = Streams.open(server.port(), job, read.getLast().id())) {
        Streams.next(stream);
        server.post("/internal/worker/complete", lease.with(""));
        for (ServerEvent e = stream.next(); e != null; e = stream.next()) {
          read.add(e);
        }
      }
    }
    assertThat(Streams.types(read))
        .containsExactly("queued", "running", "progress", "progress", "done");
    assertThat(read).doesNotHaveDuplicates();
  }

  private static List<String> submit(TestServer server, int n) {
    List<String> jobs = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      jobs.add(Jobs.submit(server, ""));
    }
    return jobs;
  }

  /** Runs all jobs that wait, several at once. */
  private void runAll(TestServer server, int n) throws Exception {
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      String worker = "w" + i;
      running.add(threads.submit(() -> run(server, Jobs.lease(server, worker))));
    }
    for (Future<?> each : running) {
      each.get(60, TimeUnit.SECONDS);
    }
  }

  private static void run(TestServer server, Jobs.Lease lease) {
    String heartbeat = "/internal/worker/heartbeat";
    String output = "/internal/worker/output";
    expectOk(server.post(heartbeat, lease.with(",\"progress\":10")));
    expectOk(server.post(output, lease.with(",\"offset\":0,\"data\":\"Hello\"")));
    expectOk(server.post(heartbeat, lease.with(",\"progress\":90,\"message\":\"nearly\"")));
    expectOk(server.post(output, lease.with(",\"offset\":5,\"data\":\", world\"")));
    expectOk(server.post("/v1/jobs/" + lease.jobId() + "/cancel", "{}"));
    expectOk(server.post("/internal/worker/complete", lease.with(",\"result\":{}")));
  }

  private static void expectOk(Answer answer) {
    assertThat(answer.status()).as(answer.body()).isBetween(200, 202);
  }

  private static List<ServerEvent> readAll(int port, String job, AtomicInteger greeted)
      throws IOException {
    try (ServerEvents stream = Streams.open(port, job, null)) {
      assertThat(Streams.next(stream).type()).isEqualTo("hello");
      greeted.incrementAndGet();
      List<ServerEvent> events = new ArrayList<>();
      for (ServerEvent event = stream.next(); event != null; event = stream.next()) {
        events.add(event);
      }
      return events;
    }
  }

  private static List<ServerEvent> readInPieces(TestServer server, String job, Random random)
      throws IOException {
    List<ServerEvent> read = new ArrayList<>();
    while (read.isEmpty() || !read.getLast().type().equals("done")) {
      @Nullable String lastId = read.isEmpty() ? null : read.getLast().id();
      try (ServerEvents stream = Streams.open(server.port(), job, lastId)) {
        assertThat(Streams.next(stream).type()).isEqualTo("hello");
        int wanted = random.nextInt(4);
        for (int i = 0; i < wanted; i++) {
          ServerEvent event = stream.next();
          if (event == null) {
            break;
          }
          read.add(event);
        }
      }
    }
    return read;
  }
}
