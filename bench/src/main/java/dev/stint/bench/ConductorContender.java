package dev.stint.bench;

import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The server of Conductor OSS, as its boot jar comes: a workflow of one simple task is started,
 * polled and completed, three calls a job like Stint's.
 */
final class ConductorContender implements Contender {
  private static final String VERSION = "3.32.3";
  private static final int CONNECTIONS = 16;
  private static final Duration START_WITHIN = Duration.ofMinutes(3);

  private final PeerCache cache;
  private final Optional<PostgresProcess> postgres;

  ConductorContender(PeerCache cache, Optional<PostgresProcess> postgres) {
    this.cache = cache;
    this.postgres = postgres;
  }

  @Override
  public String peer() {
    return "conductor";
  }

  @Override
  public Storage storage() {
    return postgres.isPresent() ? Storage.POSTGRES : Storage.SQLITE;
  }

  @Override
  public String how() {
    return "HTTP, single calls, %d connections".formatted(CONNECTIONS);
  }

  @Override
  public boolean isBatched() {
    return false;
  }

  @Override
  public Result run(Order order) throws RunFailedException {
    Path jar = cache.jar("org.conductoross", "conductor-server", VERSION, "boot");
    int port = Machine.freePort();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", jar.toString(), "--server.port=" + port));
    command.add("--server.address=127.0.0.1");
    String durability = addDatabase(command);
    try (TemporaryFolder folder = TemporaryFolder.make();
        OtherProgram server = OtherProgram.start("conductor", folder.path(), command);
        HttpClient client = HttpClient.newHttpClient();
        ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS)) {
      ConductorApi api = new ConductorApi(client, "http://127.0.0.1:" + port);
      server.await(api::isUp, START_WITHIN);
      api.define();
      String payload = JobRequests.payload(order.payloadBytes());
      int jobs = Math.max(CONNECTIONS, order.jobs());
      // A whole round may take minutes, and it has been warm for most of that.
      int warmUpJobs = Math.max(CONNECTIONS, order.jobs() / 10);
      Rounds.Pace pace =
          Rounds.run(order, jobs, warmUpJobs, count -> round(threads, api, count, payload));
      int lost = pace.jobs() - pace.done().jobs();
      int running = api.running();
      return new Result(
          VERSION,
          durability,
          pace.done().perSecond(),
          pace.rounds(),
          Optional.empty(),
          Optional.empty(),
          lost + running == 0 ? Optional.empty() : Optional.of(remark(lost, running)));
    }
  }

  /** Names the database to its command, and returns how durable that is. */
  private String addDatabase(List<String> command) throws RunFailedException {
    if (postgres.isEmpty()) {
      command.add(
          "--spring.datasource.url=jdbc:sqlite:conductor.db?busy_timeout=15000"
              + "&journal_mode=WAL&synchronous=FULL");
      return Database.temporarySqlite().settings();
    }
    String url = postgres.get().jdbcUrl(postgres.get().newDatabase());
    command.add("--spring.datasource.url=" + url);
    command.add("--spring.datasource.username=postgres");
    command.add("--spring.datasource.password=none");
    for (String part : new String[] {"db", "queue", "indexing"}) {
      command.add("--conductor.%s.type=postgres".formatted(part));
    }
    return Database.postgres(url).settings();
  }

  /** A job that it lost keeps nobody from being measured with the others. */
  private static String remark(int lost, int running) {
    return "%,d jobs were not done, as no task was given out for a minute, and neither they nor that minute count; %,d, of warm-up rounds too, were still running at the end"
        .formatted(lost, running);
  }

  private static Rounds.Done round(
      ExecutorService threads, ConductorApi api, int jobs, String payload)
      throws RunFailedException {
    long begin = System.nanoTime();
    AtomicLong lastDone = new AtomicLong(begin);
    AtomicInteger done = new AtomicInteger();
    AtomicInteger left = new AtomicInteger(jobs);
    List<Future<Boolean>> all = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      all.add(
          threads.submit(() -> {
            while (left.getAndDecrement() > 0 && api.live(payload)) {
              done.incrementAndGet();
              lastDone.accumulateAndGet(System.nanoTime(), Math::max);
            }
            return true;
          }));
    }
    try {
      for (Future<Boolean> each : all) {
        each.get();
      }
      if (done.get() == 0) {
        throw new RunFailedException("conductor: no task was given out for a minute");
      }
      return new Rounds.Done(done.get(), lastDone.get() - begin);
    } catch (ExecutionException e) {
      throw new RunFailedException("conductor: " + e.getCause(), e);
    } catch (InterruptedException e) {
      throw RunFailedException.interrupted(e);
    }
  }
}
