package dev.stint.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stint bench}. */
@Command(
    name = "bench",
    subcommands = {PeersCommand.class, ScenarioCommand.class, AllCommand.class},
    customSynopsis = {
      "stint bench [OPTIONS]",
      "stint bench peers [OPTIONS]",
      "stint bench scenario NAME... [OPTIONS]",
      "stint bench all [OPTIONS]"
    },
    sortOptions = false,
    description = {
      "Measures how many jobs a second a server takes through their whole life.",
      "",
      "Every connection submits a job (POST /v1/jobs), claims one (POST"
          + " /internal/worker/claim) and completes it (POST /internal/worker/complete): three"
          + " requests a job, each answered only after its commit. Between that, the same"
          + " connections send a body of the same size to a route that only echoes it, so that"
          + " the ratio tells what durability costs on this machine, whatever its speed.",
      "",
      "With --batch it measures jobs in batches over the calls for many, beside the engine and the"
          + " store without HTTP.",
      "",
      "With --workers it measures waiting instead: workers of the worker API that poll, beat and"
          + " complete at a fixed pace, and whether their calls are as quick as promised.",
      "",
      "With --readers it measures how soon those who follow a job see what happens to it: ten"
          + " readers to a job, whose worker reports its progress five times a second.",
      "",
      "By default it starts a server of its own, on a fresh SQLite file, and removes both"
          + " afterwards."
    },
    optionListHeading = "%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint bench                                     64 connections, SQLite",
      "  stint bench --connections 64,256 --seconds 20   two runs, a server each",
      "  stint bench --batch 100                         jobs by the hundred, with and without HTTP",
      "  stint bench --workers 100                       latency of 100 paced workers",
      "  stint bench --readers 200                       how soon 200 readers see events",
      "  stint bench peers                               beside others of its kind",
      "  stint bench scenario backlog                    claims while a million jobs wait",
      "  stint bench all                                 all of it, with tables and plots",
      "  stint bench --db 'jdbc:postgresql://localhost/bench?user=me&password=x'",
      "  stint bench --url http://10.0.0.5:8080 --token $TOKEN",
      "",
      "Exit status: 0 measured, 1 the run failed (any wrong answer, a stall, a lost or doubled"
          + " job), 2 wrong usage."
    })
public final class BenchCommand implements Callable<Integer> {
  private static final int MOST_CONNECTIONS = 10_000;
  private static final int MOST_WORKERS = 1_000;
  private static final int MOST_READERS = 5_000;
  private static final int MOST_IN_A_BATCH = 100;
  private static final int MOST_PAYLOAD_BYTES = 200_000;
  private static final double MOST_SECONDS = 3_600;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--connections",
      paramLabel = "N",
      split = ",",
      description =
          "Connections, each with one request under way; a list gives a run for each (64).")
  private List<Integer> connections = List.of();

  @Option(
      names = "--workers",
      paramLabel = "N",
      description =
          "Measure latency instead, with N workers that take a task a second each; not with"
              + " --connections.")
  private Optional<Integer> workers = Optional.empty();

  @Option(
      names = "--batch",
      paramLabel = "N",
      description =
          "Measure jobs in batches of N (1 to 100) over the calls for many, and the same without"
              + " HTTP beside it; 4 connections unless told.")
  private Optional<Integer> batch = Optional.empty();

  @Option(
      names = "--readers",
      paramLabel = "N",
      description =
          "Measure instead how soon N readers see the events of jobs; not with --connections or"
              + " --workers.")
  private Optional<Integer> readers = Optional.empty();

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "How long echo and lifecycle are measured, each (10), or the workers or readers, in"
              + " whole seconds (30).")
  private Optional<Double> seconds = Optional.empty();

  @Option(
      names = "--warmup-seconds",
      paramLabel = "S",
      defaultValue = "20",
      description =
          "How long the load runs before anything counts (${DEFAULT-VALUE}). A new server is still"
              + " being compiled half a minute into the load: 40 shows it as it runs for days.")
  private double warmUpSeconds;

  @Option(
      names = "--payload-bytes",
      paramLabel = "N",
      defaultValue = "100",
      description = "Size of a job's payload (${DEFAULT-VALUE}).")
  private int payloadBytes;

  @Option(
      names = "--db",
      paramLabel = "FILE|URL",
      description = {
        "SQLite file, or jdbc:postgresql://… (a fresh temporary SQLite file).",
        "The run leaves its jobs in a database given here."
      })
  private Optional<String> db = Optional.empty();

  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "Drive this running server instead of starting one. It has no echo, so there is no ratio;"
              + " its database gets the jobs.")
  private Optional<String> url = Optional.empty();

  @Option(
      names = "--token",
      paramLabel = "T",
      defaultValue = "${env:STINT_API_TOKEN:-dev-token}",
      description = "API token for --url (env STINT_API_TOKEN, else dev-token).")
  private String token = "";

  @Option(
      names = "--server-java-option",
      paramLabel = "OPTION",
      description =
          "For the JVM of the server that is started, e.g. -Xmx1g or -XX:StartFlightRecording=…;"
              + " may be repeated.")
  private List<String> serverJavaOptions = new ArrayList<>();

  @Option(names = "--json", description = "Print one JSON object instead of tables.")
  private boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  @SuppressWarnings("UnusedVariable") // picocli itself acts on it
  private boolean help;

  @Override
  public Integer call() {
    checkOptions();
    Optional<Target> running = url.map(this::parseUrl);
    Bench bench = new Bench(db, running, serverJavaOptions, spec.commandLine().getErr());
    try {
      if (workers.isPresent()) {
        print(bench.run(pace(workers.get())), JsonReport::of, TableReport::print);
      } else if (readers.isPresent()) {
        print(bench.run(audience(readers.get())), JsonReport::of, TableReport::print);
      } else if (batch.isPresent()) {
        print(bench.runBatches(plans(), batch.get()));
      } else {
        print(bench.run(plans()), JsonReport::of, TableReport::print);
      }
      return 0;
    } catch (RunFailedException e) {
      spec.commandLine().getErr().println("stint bench: " + e.getMessage());
      if (json) {
        spec.commandLine().getOut().println(JsonReport.ofFailure(String.valueOf(e.getMessage())));
      }
      return 1;
    }
  }

  private <R> void print(R report, Function<R, String> json, BiConsumer<TableReport, R> table) {
    if (this.json) {
      spec.commandLine().getOut().println(json.apply(report));
    } else {
      table.accept(new TableReport(spec.commandLine().getOut()), report);
    }
  }

  private void print(List<Sheet> sheets) {
    if (json) {
      spec.commandLine().getOut().println(SheetJson.of(sheets));
    } else {
      sheets.forEach(new SheetText(spec.commandLine().getOut())::print);
    }
  }

  private void checkOptions() {
    check(
        seconds.stream().allMatch(s -> s > 0 && s <= MOST_SECONDS),
        "--seconds must be more than 0 and at most 3600");
    check(
        warmUpSeconds >= 0 && warmUpSeconds <= MOST_SECONDS,
        "--warmup-seconds must be from 0 to 3600");
    check(
        payloadBytes >= 0 && payloadBytes <= MOST_PAYLOAD_BYTES,
        "--payload-bytes must be from 0 to " + MOST_PAYLOAD_BYTES);
    check(
        connections.stream().allMatch(n -> n >= 1 && n <= MOST_CONNECTIONS),
        "--connections must be from 1 to " + MOST_CONNECTIONS);
    check(
        workers.stream().allMatch(n -> n >= 1 && n <= MOST_WORKERS),
        "--workers must be from 1 to " + MOST_WORKERS);
    check(
        workers.isEmpty() || connections.isEmpty(),
        "--workers and --connections exclude each other: a worker has a connection of its own");
    check(
        readers.stream().allMatch(n -> n >= 1 && n <= MOST_READERS),
        "--readers must be from 1 to " + MOST_READERS);
    check(
        readers.isEmpty() || (connections.isEmpty() && workers.isEmpty()),
        "--readers excludes --connections and --workers: it is a measurement of its own");
    check(
        batch.stream().allMatch(n -> n >= 1 && n <= MOST_IN_A_BATCH),
        "--batch must be from 1 to " + MOST_IN_A_BATCH);
    check(
        batch.isEmpty() || (readers.isEmpty() && workers.isEmpty()),
        "--batch excludes --readers and --workers: it is a measurement of its own");
    check(
        db.isEmpty() || url.isEmpty(),
        "--db and --url exclude each other: a running server has its database");
    check(
        serverJavaOptions.isEmpty() || url.isEmpty(),
        "--server-java-option and --url exclude each other: that server runs already");
  }

  private List<Plan> plans() {
    return (connections.isEmpty() ? List.of(batch.isPresent() ? 4 : 64) : connections)
        .stream()
            .map(each ->
                new Plan(
                    each,
                    Drive.seconds(seconds.orElse(10.0)),
                    Drive.seconds(warmUpSeconds),
                    payloadBytes,
                    Plan.ANSWER_WITHIN))
            .toList();
  }

  private Pace pace(int workers) {
    return new Pace(
        workers,
        (int) Math.ceil(warmUpSeconds),
        (int) Math.ceil(seconds.orElse(30.0)),
        payloadBytes);
  }

  private Audience audience(int readers) {
    return new Audience(
        readers, (int) Math.ceil(warmUpSeconds), (int) Math.ceil(seconds.orElse(30.0)));
  }

  private Target parseUrl(String text) {
    try {
      return Target.parse(text, token);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--url: " + e.getMessage(), e);
    }
  }

  private void check(boolean holds, String complaint) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), complaint);
    }
  }
}
