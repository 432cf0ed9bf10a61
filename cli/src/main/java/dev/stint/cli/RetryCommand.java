package dev.stint.cli;

import dev.stint.client.Answer;
import dev.stint.client.Api;
import dev.stint.server.SettingException;
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

/** {@code stint retry}. */
@Command(
    name = "retry",
    description = {
      "Has jobs tried again that have FAILED or were ABORTED, with fresh attempts.",
      "One by its id, all of a group that stint dead shows, or all that match."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint retry 01a2b3c4-…",
      "  stint retry --fingerprint 5f3a01bc9d2e4f60 --rate 10",
      "  stint retry --status FAILED --queue nightly --dry-run",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.UNREACHABLE_LINE
    })
final class RetryCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Parameters(arity = "0..1", paramLabel = "ID", converter = Name.class, description = "The job.")
  private @Nullable String job;

  @Option(
      names = "--fingerprint",
      paramLabel = "F",
      description = "All FAILED jobs of this group; stint dead lists them.")
  private @Nullable String fingerprint;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Let so many start within a second, with --fingerprint or of FAILED jobs.")
  private @Nullable Integer rate;

  @Mixin private final BulkOptions bulk = new BulkOptions();

  @Mixin private final ControlPlane control = new ControlPlane();

  @Override
  public Integer call() throws IOException {
    boolean isMany = bulk.filter().isAny();
    int given = (job == null ? 0 : 1) + (fingerprint == null ? 0 : 1) + (isMany ? 1 : 0);
    if (given != 1) {
      throw new ParameterException(
          spec.commandLine(),
          "what shall it retry? Give either the id of a job, or --fingerprint F, or a filter such"
              + " as --status FAILED");
    }
    if (rate != null && (rate < 1 || rate > 100_000)) {
      throw new SettingException("--rate", "must be 1 to 100000, not " + rate);
    }
    if (job != null) {
      return one(job);
    }
    return fingerprint != null ? group(fingerprint) : many();
  }

  private int one(String id) throws IOException {
    bulk.refuseDryRunOfOne();
    if (rate != null) {
      throw new SettingException("--rate", "is for many jobs; it takes no id of a job");
    }
    Answer answer = control.post("/v1/jobs/" + Api.encoded(id) + "/retry", Map.of());
    control.print(answer, id + " " + answer.string("state"));
    return ExitCodes.OK;
  }

  /** The number of a group is known, so nothing has to be counted. */
  private int group(String id) throws IOException {
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("fingerprint", id);
    addRate(body);
    return new Bulk(control, bulk).replayGroup(id, body);
  }

  /** A rate is for dead letters, unless the filter names a state itself. */
  private int many() throws IOException {
    Map<String, @Nullable Object> filter = bulk.filter().toJson();
    if (rate != null) {
      filter.putIfAbsent("status", JobStatus.FAILED.name());
    }
    Map<String, @Nullable Object> counting = new LinkedHashMap<>();
    counting.put("action", "retry");
    counting.put("filter", filter);
    Map<String, @Nullable Object> doing = new LinkedHashMap<>(counting);
    if (rate != null) {
      doing.remove("action");
      addRate(doing);
      return new Bulk(control, bulk).run("retry", "/v1/dead/replay", counting, doing);
    }
    return new Bulk(control, bulk).run("retry", "/v1/jobs/bulk", counting, doing);
  }

  private void addRate(Map<String, @Nullable Object> body) {
    if (rate != null) {
      body.put("rate_per_s", rate);
    }
  }
}
