package dev.stint.cli;

import dev.stint.client.Answer;
import dev.stint.client.Api;
import java.io.IOException;
import java.util.LinkedHashMap;
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

/** {@code stint cancel}. */
@Command(
    name = "cancel",
    description = {
      "Asks jobs to stop: one that waits ends at once, one that runs gets time to end well.",
      "To end a running one at once: stint abort."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint cancel 01a2b3c4-… --reason 'wrong input'",
      "  stint cancel --queue nightly --status PENDING --dry-run",
      "  stint cancel --queue nightly --since 2h --yes",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.UNREACHABLE_LINE
    })
final class CancelCommand implements Callable<Integer> {
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
    if ((job == null) != bulk.filter().isAny()) {
      throw new ParameterException(
          spec.commandLine(),
          "what shall it cancel? Give either the id of a job or a filter such as --queue NAME");
    }
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    if (reason != null) {
      body.put("reason", reason);
    }
    if (job == null) {
      body.put("action", "cancel");
      body.put("filter", bulk.filter().toJson());
      return new Bulk(control, bulk).run("cancel", "/v1/jobs/bulk", body, body);
    }
    bulk.refuseDryRunOfOne();
    Answer answer = control.post("/v1/jobs/" + Api.encoded(job) + "/cancel", body);
    control.print(answer, job + " " + words(answer));
    return ExitCodes.OK;
  }

  /** The word for a job that had completed would sound as if it were done with cancelling. */
  private static String words(Answer answer) {
    if (answer.flag("cancel_requested")) {
      return "is asked to stop";
    }
    String status = String.valueOf(answer.string("status"));
    return status.equals("canceled") ? status : "had ended before: " + status;
  }
}
