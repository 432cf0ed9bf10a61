package dev.stint.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How long the launcher takes to a server's first answer, and for a command against a running
 * server.
 */
final class Starts implements Scenario {
  private static final Duration WITHIN = Duration.ofSeconds(60);

  /** A server has things to do for a moment after its first answer, on the same processors. */
  private static final Duration UNTIL_AT_REST = Duration.ofSeconds(5);

  private static final double MOST_SERVER_SECONDS = 1;
  private static final double MOST_COMMAND_SECONDS = 0.3;

  @Override
  public Sheet run(Setting setting) throws RunFailedException {
    Path launcher =
        launcher(System.getProperty("java.class.path"))
            .orElseThrow(() ->
                new RunFailedException(
                    "this is not the launcher's own program; run ./stint bench scenario start"));
    Sheet sheet =
        new Sheet("start", "Starting", "what", "times", "median ms", "least ms", "most ms");
    Histogram servers = new Histogram();
    Histogram commands = new Histogram();
    try (Work.Step step = setting.work().begin("starts", 2L * setting.count())) {
      for (int i = 1; i < setting.count(); i++) {
        Running.start(launcher, servers).close();
        step.advance(1);
      }
      try (Running server = Running.start(launcher, servers)) {
        step.advance(1);
        Drive.sleep(UNTIL_AT_REST);
        for (int i = 0; i < setting.count(); i++) {
          server.call(launcher, commands);
          step.advance(1);
        }
      }
    }
    row(sheet, "./stint server, to its first answer", servers);
    row(sheet, "./stint jobs, from start to end", commands);
    sheet.atMost(
        "server start to first answer, s",
        MOST_SERVER_SECONDS,
        Optional.of(servers.percentile(50) / 1e9));
    sheet.atMost("a command, s", MOST_COMMAND_SECONDS, Optional.of(commands.percentile(50) / 1e9));
    return sheet.fact(
        "measured",
        "on a fresh SQLite file, with the start-up caches as they are; commands against a server that has been up for %d s"
            .formatted(UNTIL_AT_REST.toSeconds()));
  }

  /** A server of the launcher, with its data. */
  private record Running(TemporaryFolder folder, OtherProgram server, Target target)
      implements AutoCloseable {
    static Running start(Path launcher, Histogram servers) throws RunFailedException {
      TemporaryFolder folder = TemporaryFolder.make();
      try {
        Target target = Target.parse("http://127.0.0.1:" + Machine.freePort(), "");
        String db = folder.path().resolve("start.db").toString();
        List<String> command =
            List.of(
                launcher.toString(), "server", "--addr", target.base().getAuthority(), "--db", db);
        long begin = System.nanoTime();
        OtherProgram server = OtherProgram.start("server", folder.path(), command);
        server.await(new Probe(target)::isUp, WITHIN, 2);
        servers.record(System.nanoTime() - begin);
        return new Running(folder, server, target);
      } catch (RunFailedException e) {
        folder.close();
        throw e;
      }
    }

    void call(Path launcher, Histogram commands) throws RunFailedException {
      long called = System.nanoTime();
      OtherProgram.run(
          "command",
          folder.path(),
          List.of(launcher.toString(), "jobs", "--url", target.base().toString()),
          Map.of(),
          WITHIN);
      commands.record(System.nanoTime() - called);
    }

    @Override
    public void close() {
      server.close();
      folder.close();
    }
  }

  private static void row(Sheet sheet, String what, Histogram histogram) {
    sheet.row(
        what,
        histogram.count(),
        histogram.percentile(50) / 1e6,
        histogram.percentile(0) / 1e6,
        histogram.max() / 1e6);
  }

  /** The script beside the checkout that the jar was built in. */
  static Optional<Path> launcher(String classPath) {
    Path jar = Path.of(classPath.split(":", 2)[0]).toAbsolutePath();
    if (!jar.endsWith("cli/target/stint/stint.jar")) {
      return Optional.empty();
    }
    return Optional.of(jar.resolve("../../../../stint").normalize()).filter(Files::isExecutable);
  }
}
