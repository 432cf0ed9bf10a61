package dev.stint.cli;

import dev.stint.client.Answer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stint jobs}. */
@Command(
    name = "jobs",
    description = "Lists jobs, the newest first.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint jobs --status failed --queue nightly --since 2h",
      "  stint jobs --text ada",
      "  stint jobs --json | jq -r '.jobs[].job_id'",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.UNREACHABLE_LINE
    })
final class JobsCommand implements Callable<Integer> {
  @Mixin private final FilterOptions filter = new FilterOptions();

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "At most so many, 1 to 1000. Default ${DEFAULT-VALUE}.")
  private int limit;

  @Mixin private final ControlPlane control = new ControlPlane();

  @Override
  public Integer call() throws IOException {
    Answer answer =
        control.get(
            filter.addTo(new Query("/jobs")).with("limit", Limit.checked(limit)).toString());
    String whenEmpty =
        filter.isAny()
            ? "no such jobs; see all of them with: stint jobs"
            : "no jobs yet; submit one with: stint submit -- echo hello";
    control.printList(answer, "jobs", whenEmpty, JobsCommand::table);
    return ExitCodes.OK;
  }

  private static Table table(List<Map<String, @Nullable Object>> jobs) {
    long now = Ages.now();
    Table table =
        new Table(
            List.of("COMMAND", "WORKER"), "JOB", Table.STATUS, "AGE", "TRIES", "WORKER", "COMMAND");
    for (Map<String, @Nullable Object> object : jobs) {
      Fields job = new Fields(object);
      table.add(
          job.text("job_id"),
          job.text("status"),
          job.age("created_at", now),
          job.text("attempt_count") + "/" + job.text("max_attempts"),
          job.text("worker_id"),
          job.command());
    }
    return table;
  }
}
