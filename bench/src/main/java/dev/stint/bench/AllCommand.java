package dev.stint.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stint bench all}. */
@Command(
    name = "all",
    customSynopsis = "stint bench all [OPTIONS]",
    sortOptions = false,
    description = {
      "Runs every measurement that something is aimed at, and writes a page with tables and plots"
          + " (docs/performance.md, unless --out says otherwise).",
      "",
      "The page has a section for each part, which is written as soon as the part is done, and a"
          + " table of all verdicts; a part that fails keeps its old section, and the others go on. All parts together take"
          + " an hour and a half, most of it for the million and the millions."
    },
    optionListHeading = "%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint bench all                              everything, into docs/performance.md",
      "  stint bench all --only lifecycle,batch       two parts anew",
      "  stint bench all --share 0.01 --out x.md      a hundredth of all sizes, to try it",
      "",
      "Exit status: 0 all parts were measured, 1 one could not be."
    })
final class AllCommand implements Callable<Integer> {
  /** What can be run, in this order. */
  enum Part {
    lifecycle,
    batch,
    peers,
    backlog,
    finished,
    parked,
    leases,
    planes,
    redis,
    natives,
    start
  }

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--only",
      paramLabel = "PART",
      split = ",",
      description = "Only these: ${COMPLETION-CANDIDATES} (all).")
  private List<Part> only = List.of(Part.values());

  @Option(
      names = "--share",
      paramLabel = "S",
      defaultValue = "1",
      description = "Of all sizes and times, to try it out (${DEFAULT-VALUE}).")
  private double share;

  @Mixin private SheetOptions output = new SheetOptions();

  @Override
  public Integer call() {
    if (!(share > 0 && share <= 1)) {
      throw new ParameterException(spec.commandLine(), "--share must be more than 0 and at most 1");
    }
    Path page = output.out().orElse(Path.of("docs", "performance.md"));
    boolean isWhole = true;
    for (Part part : only) {
      output.say(spec, part + " …");
      try {
        for (Sheet sheet : run(part)) {
          new PerformancePage(page).write(sheet, command(part));
          output.print(spec, List.of(sheet));
        }
      } catch (RunFailedException e) {
        isWhole = false;
        output.say(spec, "%s could not be measured: %s".formatted(part, e.getMessage()));
      }
    }
    return isWhole ? 0 : 1;
  }

  private List<Sheet> run(Part part) throws RunFailedException {
    return switch (part) {
      case lifecycle -> List.of(lifecycle());
      case batch -> batches();
      case peers -> List.of(peers());
      case backlog, finished, parked, leases, planes, redis, natives, start ->
          List.of(scenario(ScenarioName.valueOf(part.name())));
    };
  }

  private Sheet lifecycle() throws RunFailedException {
    List<Report> reports = new ArrayList<>();
    reports.add(bench(Optional.empty()).run(List.of(plan(64, 60), plan(256, 60))));
    try (PostgresProcess postgres = PostgresProcess.start()) {
      String db = postgres.jdbcUrl(postgres.newDatabase());
      reports.add(bench(Optional.of(db)).run(List.of(plan(256, 60))));
    }
    return LifecycleSheet.of(reports);
  }

  private List<Sheet> batches() throws RunFailedException {
    List<Sheet> sheets = new ArrayList<>();
    sheets.addAll(bench(Optional.empty()).runBatches(List.of(plan(4, 60)), 100));
    try (PostgresProcess postgres = PostgresProcess.start()) {
      String db = postgres.jdbcUrl(postgres.newDatabase());
      sheets.addAll(bench(Optional.of(db)).runBatches(List.of(plan(4, 60)), 100));
    }
    return sheets;
  }

  private Sheet peers() {
    int jobs = Math.max(100, (int) (10_000 * share) / 100 * 100);
    Contender.Order order = new Contender.Order(jobs, 100, 60 * share, 60 * share);
    return new Peers(
            PeerCache.ofUser(), Set.copyOf(Peers.NAMES), order, name -> output.say(spec, name))
        .run();
  }

  private Sheet scenario(ScenarioName name) throws RunFailedException {
    Scenario.Setting setting =
        new Scenario.Setting(
            Math.max(1, (int) Math.ceil(name.count() * share)),
            Math.max(1, name.seconds() * share),
            name.warmUpSeconds() * share,
            List.of(Contender.Storage.SQLITE, Contender.Storage.POSTGRES),
            TerminalWork.wanted());
    return name.scenario().run(setting);
  }

  private Bench bench(Optional<String> db) {
    return new Bench(db, Optional.empty(), List.of(), spec.commandLine().getErr());
  }

  private Plan plan(int connections, double warmUpSeconds) {
    return new Plan(
        connections,
        Drive.seconds(Math.max(0.5, 20 * share)),
        Drive.seconds(warmUpSeconds * share),
        100,
        Plan.ANSWER_WITHIN);
  }

  private String command(Part part) {
    String size = share == 1 ? "" : String.format(Locale.ROOT, " --share %s", share);
    return "./stint bench all --only " + part + size;
  }
}
