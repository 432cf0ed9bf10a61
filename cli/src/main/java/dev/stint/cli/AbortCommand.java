package dev.stint.cli;

import dev.stint.client.Answer;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stint abort}. */
@Command(
    name = "abort",
    description = {
      "Ends a job, or all that a worker has, at once; prints the ids of what it ended.",
      "With a further filter it ends all jobs that match, and says how many."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint abort 01a2b3c4-… --reason 'wrong input'",
      "  stint abort --worker gpu-box --reason maintenance",
      "  stint abort --queue nightly --status RUNNING --dry-run",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      "  5  the control plane refused: an unknown job, one that has ended already, …",
      ExitCodes.UNREACHABLE_LINE
    })
final class AbortCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Parameters(arity = "0..1", paramLabel = "ID", converter = Name.class, description = "The job.")
  private @Nullable String job;

  @Option(names = "--reason", paramLabel = "TEXT", description = "Kept with the job.")
  private @Nullable String reason;

  @Mixin private final BulkOptions bulk = new BulkOptions();

  @Mixin private final ControlPlane control = new ControlPlane();

  @Override
  public Integer call() throws IOException {
    String worker = bulk.filter().worker();
    boolean isMany = bulk.filter().isMoreThanWorker();
    if (job == null ? !bulk.filter().isAny() : isMany) {
      throw new ParameterException(
          spec.commandLine(),
          "what shall it abort? Give either the id of a job, or --worker ID, or a filter");
    }
    if (job != null) {
      bulk.refuseDryRunOfOne();
    }
    if (isMany) {
      return many();
    }
    if (worker != null && bulk.isDryRun()) {
      return countHeldBy(worker);
    }
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    put(body, "job_id", job);
    put(body, "worker_id", worker);
    put(body, "reason", reason);
    Answer answer = control.post("/abort", body);
    List<String> aborted = new Fields(answer.body()).texts("aborted");
    if (control.isJson()) {
      control.print(answer.text());
    } else if (aborted.isEmpty()) {
      control.say("there was nothing to abort");
    } else {
      control.print(aborted);
    }
    return ExitCodes.OK;
  }

  private int many() throws IOException {
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("action", "abort");
    body.put("filter", bulk.filter().toJson());
    put(body, "reason", reason);
    return new Bulk(control, bulk).run("abort", "/v1/jobs/bulk", body, body);
  }

  /** A filter by worker alone would count what has ended there, too. */
  private int countHeldBy(String worker) throws IOException {
    Bulk counter = new Bulk(control, bulk);
    long held = 0;
    for (JobStatus status : List.of(JobStatus.ASSIGNED, JobStatus.RUNNING)) {
      Map<String, @Nullable Object> body = new LinkedHashMap<>();
      body.put("action", "abort");
      body.put("filter", Map.of("worker", worker, "status", status.name()));
      held += counter.count(body);
    }
    return counter.tellCount(held);
  }

  private static void put(Map<String, @Nullable Object> body, String name, @Nullable String value) {
    if (value != null) {
      body.put(name, value);
    }
  }
}
