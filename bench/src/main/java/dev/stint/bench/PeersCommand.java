package dev.stint.bench;

import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stint bench peers}. */
@Command(
    name = "peers",
    customSynopsis = "stint bench peers [OPTIONS]",
    sortOptions = false,
    description = {
      "Measures Stint beside other job servers and queues on this machine: Conductor OSS,"
          + " graphile-worker, pg-boss and BullMQ.",
      "",
      "Each is fetched once by its package name with the machine's own Maven or npm into the user's"
          + " cache (about 700 MB), started on free ports of the loopback interface with durable"
          + " settings, driven with the same number of jobs, and stopped. It needs a PostgreSQL that"
          + " is installed but need not run, and npm. Whoever cannot be run is named with the"
          + " reason, and the others are measured all the same."
    },
    optionListHeading = "%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint bench peers                                all, about 30 minutes",
      "  stint bench peers --only stint,pg-boss --jobs 20000",
      "",
      "Exit status: 0 measured, also if somebody could not be run; 2 wrong usage."
    })
final class PeersCommand implements Callable<Integer> {
  private static final int LEAST_JOBS = 100;
  private static final int MOST_JOBS = 1_000_000;
  private static final double MOST_SECONDS = 600;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--only",
      paramLabel = "NAME",
      split = ",",
      description = "Only these: stint, conductor, graphile-worker, pg-boss, bullmq (all).")
  private List<String> only = Peers.NAMES;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Jobs of a round, the same for all (${DEFAULT-VALUE}).")
  private int jobs;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "60",
      description = "Rounds are repeated for so long; there is one at least (${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--warmup-seconds",
      paramLabel = "S",
      defaultValue = "60",
      description = "How long rounds run before they count (${DEFAULT-VALUE}).")
  private double warmUpSeconds;

  @Option(
      names = "--payload-bytes",
      paramLabel = "N",
      defaultValue = "100",
      description = "Size of a job's payload (${DEFAULT-VALUE}).")
  private int payloadBytes;

  @Mixin private SheetOptions output = new SheetOptions();

  @Override
  public Integer call() {
    for (String name : only) {
      check(Peers.NAMES.contains(name), "--only: '%s' is none of %s".formatted(name, Peers.NAMES));
    }
    check(
        jobs >= LEAST_JOBS && jobs <= MOST_JOBS && jobs % LEAST_JOBS == 0,
        "--jobs must be from 100 to 1000000, in hundreds");
    check(seconds >= 0 && seconds <= MOST_SECONDS, "--seconds must be from 0 to 600");
    check(
        warmUpSeconds >= 0 && warmUpSeconds <= MOST_SECONDS,
        "--warmup-seconds must be from 0 to 600");
    check(payloadBytes >= 0 && payloadBytes <= 10_000, "--payload-bytes must be from 0 to 10000");
    Contender.Order order = new Contender.Order(jobs, payloadBytes, seconds, warmUpSeconds);
    Peers peers =
        new Peers(PeerCache.ofUser(), Set.copyOf(only), order, name -> output.say(spec, name));
    try {
      output.tell(spec, peers.run());
      return 0;
    } catch (RunFailedException e) {
      output.printFailure(spec, e);
      return 1;
    }
  }

  private void check(boolean holds, String complaint) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), complaint);
    }
  }
}
