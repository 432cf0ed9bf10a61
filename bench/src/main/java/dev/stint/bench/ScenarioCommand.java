package dev.stint.bench;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stint bench scenario}. */
@Command(
    name = "scenario",
    customSynopsis = "stint bench scenario NAME... [OPTIONS]",
    sortOptions = false,
    description = {
      "Measures how a server stands a certain situation, and holds it against what is aimed at.",
      "",
      "  backlog   a claim while 1,000,000 jobs wait, against 1,000; also when half of them need"
          + " what the worker lacks",
      "  finished  throughput after 5,000,000 finished jobs, against an empty database; with"
          + " retention",
      "  parked    10,000 parked claims: memory, idle processor time, submit to delivery",
      "  leases    100,000 leases kept by heartbeats for many",
      "  planes    two control planes on one PostgreSQL, against one alone",
      "  redis     a server with Redis beside its database, against one without",
      "  natives   how soon what native workers write into Redis is seen over HTTP",
      "  start     start of the server, and a call of the command line",
      "",
      "Each starts servers of its own and removes them with their databases. For PostgreSQL the"
          + " machine's own is started on a fresh cluster."
    },
    optionListHeading = "%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint bench scenario backlog                       both databases, about 10 minutes",
      "  stint bench scenario finished --count 500000 --on sqlite",
      "  stint bench scenario parked leases --on sqlite --json",
      "",
      "Exit status: 0 measured, also if an aim is missed; 1 the run failed; 2 wrong usage."
    })
final class ScenarioCommand implements Callable<Integer> {
  private static final int MOST = 100_000_000;
  private static final double MOST_SECONDS = 3_600;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "1..*",
      paramLabel = "NAME",
      description = "${COMPLETION-CANDIDATES}.",
      hideParamSyntax = true)
  private List<ScenarioName> names = List.of();

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "How many jobs, claims, leases, connections, workers or starts (see above).")
  private Optional<Integer> count = Optional.empty();

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "How long each case is measured (15 to 60, by scenario).")
  private Optional<Double> seconds = Optional.empty();

  @Option(
      names = "--warmup-seconds",
      paramLabel = "S",
      description = "How long the load runs before (5 to 60, by scenario).")
  private Optional<Double> warmUpSeconds = Optional.empty();

  @Option(
      names = "--on",
      paramLabel = "DATABASE",
      split = ",",
      description = "sqlite, postgres, or both (both).")
  private List<String> on = List.of("sqlite", "postgres");

  @Mixin private SheetOptions output = new SheetOptions();

  @Override
  public Integer call() {
    check(count.stream().allMatch(n -> n >= 1 && n <= MOST), "--count must be from 1 to " + MOST);
    check(
        seconds.stream().allMatch(s -> s > 0 && s <= MOST_SECONDS),
        "--seconds must be more than 0 and at most 3600");
    check(
        warmUpSeconds.stream().allMatch(s -> s >= 0 && s <= MOST_SECONDS),
        "--warmup-seconds must be from 0 to 3600");
    List<Contender.Storage> storages = on.stream().map(this::storage).toList();
    try {
      for (ScenarioName name : names) {
        Scenario.Setting setting =
            new Scenario.Setting(
                count.orElse(name.count()),
                seconds.orElse(name.seconds()),
                warmUpSeconds.orElse(name.warmUpSeconds()),
                storages,
                TerminalWork.wanted());
        output.tell(spec, name.scenario().run(setting));
      }
      return 0;
    } catch (RunFailedException e) {
      output.printFailure(spec, e);
      return 1;
    }
  }

  private Contender.Storage storage(String word) {
    return switch (word) {
      case "sqlite" -> Contender.Storage.SQLITE;
      case "postgres" -> Contender.Storage.POSTGRES;
      default ->
          throw new ParameterException(
              spec.commandLine(), "--on must be sqlite or postgres, not '" + word + "'");
    };
  }

  private void check(boolean holds, String complaint) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), complaint);
    }
  }
}
