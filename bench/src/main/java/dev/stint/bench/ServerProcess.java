package dev.stint.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A running server in a process of its own, so that its memory, its start and its processor time
 * can be told from the generator's.
 */
final class ServerProcess implements AutoCloseable {
  private static final Duration START_WITHIN = Duration.ofSeconds(60);
  private static final int POLL_MS = 5;

  private final ChildJvm child;
  private final String db;
  private final Target target;
  private final long firstAnswerMs;

  private ServerProcess(ChildJvm child, String db, Target target, long firstAnswerMs) {
    this.child = child;
    this.db = db;
    this.target = target;
    this.firstAnswerMs = firstAnswerMs;
  }

  /**
   * Starts a server and waits until it answers.
   *
   * @param givenDb a file or a JDBC URL; empty for a fresh file that goes with the server
   */
  static ServerProcess start(Optional<String> givenDb, List<String> javaOptions)
      throws RunFailedException {
    return start(givenDb, javaOptions, newToken());
  }

  /** The same, with Redis beside its database. */
  static ServerProcess startWithRedis(Optional<String> givenDb, String redisUrl)
      throws RunFailedException {
    return start(givenDb, List.of(), newToken(), List.of(redisUrl));
  }

  private static String newToken() {
    return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
  }

  /** The same, with the token of another server. */
  static ServerProcess start(Optional<String> givenDb, List<String> javaOptions, String token)
      throws RunFailedException {
    return start(givenDb, javaOptions, token, List.of());
  }

  private static ServerProcess start(
      Optional<String> givenDb, List<String> javaOptions, String token, List<String> more)
      throws RunFailedException {
    try {
      Path directory = Files.createTempDirectory("stint-bench-");
      String db = givenDb.orElse(directory.resolve("bench.db").toString());
      List<String> options = new ArrayList<>(ownJavaOptions());
      options.addAll(javaOptions);
      List<String> arguments = new ArrayList<>(List.of(db));
      arguments.addAll(more);
      long startNanos = System.nanoTime();
      ChildJvm child =
          ChildJvm.start(
              directory,
              BenchServer.class,
              options,
              arguments,
              Map.of(BenchServer.TOKEN_VARIABLE, token));
      try {
        Target target = Target.parse("http://127.0.0.1:" + awaitPort(child), token);
        awaitFirstAnswer(child, target, startNanos);
        long firstAnswerMs = (System.nanoTime() - startNanos) / 1_000_000;
        return new ServerProcess(child, db, target, firstAnswerMs);
      } catch (RunFailedException e) {
        String lastWords = child.lastWords();
        child.close();
        throw new RunFailedException(e.getMessage() + "\n" + lastWords, e);
      }
    } catch (IOException e) {
      throw new RunFailedException("cannot start a server: " + e.getMessage(), e);
    }
  }

  Target target() {
    return target;
  }

  /** The database that it uses. */
  String db() {
    return db;
  }

  ProcessHandle handle() {
    return child.handle();
  }

  ServerFigures figures() {
    return ServerFigures.of(child.handle().pid(), firstAnswerMs);
  }

  /** The failure of a run with it, told with the last lines of its log. */
  RunFailedException explained(RunFailedException failure) {
    return child.isEnding()
        ? new RunFailedException("interrupted", failure)
        : new RunFailedException(failure.getMessage() + "\n" + child.lastWords(), failure);
  }

  @Override
  public void close() {
    child.close();
  }

  /**
   * The launcher starts every command with the same options, so the bench has those of a server.
   * What watches or records this JVM stays here.
   */
  private static List<String> ownJavaOptions() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> !option.matches("-(javaagent|agentlib|agentpath|XX:StartFlight).*"))
        .toList();
  }

  /**
   * The child chooses a free port and says it on its output, perhaps after a line of the JVM's own.
   * The rest of the output is read away, so that it never blocks the child; not by virtual threads,
   * since a pipe keeps the thread that carries one, and there are as many readers as servers.
   */
  private static int awaitPort(ChildJvm child) throws RunFailedException {
    CompletableFuture<Integer> port = new CompletableFuture<>();
    Thread.ofPlatform()
        .name("output-of-server")
        .daemon()
        .start(() -> {
          try (BufferedReader output = child.output()) {
            output
                .lines()
                .filter(line -> line.startsWith(BenchServer.PORT_PREFIX))
                .map(line -> Integer.valueOf(line.substring(BenchServer.PORT_PREFIX.length())))
                .forEach(port::complete);
            port.completeExceptionally(new IOException("no port"));
          } catch (IOException | UncheckedIOException e) {
            port.completeExceptionally(e);
          }
        });
    try {
      return port.get(START_WITHIN.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new RunFailedException("the server did not start:", e);
    } catch (TimeoutException e) {
      throw tooSlow(e);
    } catch (InterruptedException e) {
      throw RunFailedException.interrupted(e);
    }
  }

  private static void awaitFirstAnswer(ChildJvm child, Target target, long startNanos)
      throws RunFailedException {
    Probe probe = new Probe(target);
    while (!probe.isUp()) {
      if (!child.isAlive()) {
        throw new RunFailedException("the server ended as it started:");
      }
      if (System.nanoTime() - startNanos > START_WITHIN.toNanos()) {
        throw tooSlow(new TimeoutException());
      }
      try {
        Thread.sleep(POLL_MS);
      } catch (InterruptedException e) {
        throw RunFailedException.interrupted(e);
      }
    }
  }

  private static RunFailedException tooSlow(TimeoutException e) {
    return new RunFailedException(
        "the server gave no answer within " + START_WITHIN.toSeconds() + " s of its start:", e);
  }
}
