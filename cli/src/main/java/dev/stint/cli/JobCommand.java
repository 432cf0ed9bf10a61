package dev.stint.cli;

import dev.stint.client.Answer;
import dev.stint.client.Api;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code stint job}. */
@Command(
    name = "job",
    description = "Shows all that is known of a job.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint job 01a2b3c4-…",
      "  stint job 01a2b3c4-… --json | jq .exit_code",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.UNREACHABLE_LINE
    })
final class JobCommand implements Callable<Integer> {
  private static final int LABEL_WIDTH = 12;

  @Parameters(paramLabel = "ID", converter = Name.class, description = "The job.")
  @SuppressWarnings("NullAway.Init") // set by picocli
  private String id;

  @Mixin private final ControlPlane control = new ControlPlane();

  @Override
  public Integer call() throws IOException {
    Answer answer = control.get("/jobs/" + Api.encoded(id));
    if (control.isJson()) {
      control.print(answer.text());
    } else {
      control.print(lines(new Fields(answer.body()), control.screen(), Ages.now()));
    }
    return ExitCodes.OK;
  }

  /** What a person wants to know of a job; what there is nothing to say of is left out. */
  static List<String> lines(Fields job, Screen screen, long now) {
    List<String> lines = new ArrayList<>();
    add(lines, "job", job.text("job_id"));
    lines.add(label("status") + screen.state(job.text("status"), Screen.line(status(job))));
    add(lines, "command", job.command());
    add(lines, "folder", job.text("working_dir"));
    add(lines, "queue", job.text("queue"));
    add(lines, "priority", job.number("priority") == 0 ? "" : job.text("priority"));
    add(lines, "needs", needs(job));
    add(lines, "time limit", job.number("timeout_ms") == 0 ? "" : job.text("timeout_ms") + " ms");
    add(lines, "starts at", time(job, "scheduled_at", now));
    add(lines, "tries", job.text("attempt_count") + " of " + job.text("max_attempts"));
    add(lines, "created", time(job, "created_at", now));
    add(lines, "changed", time(job, "updated_at", now));
    add(lines, "worker", worker(job));
    add(lines, "progress", job.has("progress") ? job.text("progress") + " %" : "");
    add(lines, "message", job.text("message"));
    add(lines, "exit code", job.text("exit_code"));
    add(lines, "error", job.text("last_error"));
    add(lines, "result", job.text("result_path"));
    add(lines, "stdout", job.text("artifact_stdout_path"));
    add(lines, "stderr", job.text("artifact_stderr_path"));
    return lines;
  }

  private static void add(List<String> lines, String label, String value) {
    if (!value.isEmpty()) {
      lines.add(label(label) + Screen.line(value));
    }
  }

  private static String label(String label) {
    return label + " ".repeat(LABEL_WIDTH - label.length());
  }

  private static String status(Fields job) {
    return Boolean.TRUE.equals(job.object().get("cancel_requested"))
        ? job.text("status") + ", asked to stop"
        : job.text("status");
  }

  private static String needs(Fields job) {
    List<String> needs = new ArrayList<>(job.texts("requirements"));
    if (Boolean.TRUE.equals(job.object().get("needs_gpu")) && !needs.contains("gpu")) {
      needs.add("gpu");
    }
    return String.join(", ", needs);
  }

  private static String worker(Fields job) {
    return job.has("heartbeat_age_seconds")
        ? job.text("worker_id")
            + ", heard of "
            + Ages.span(job.number("heartbeat_age_seconds"))
            + " ago"
        : job.text("worker_id");
  }

  private static String time(Fields job, String name, long now) {
    return job.number(name) == 0
        ? ""
        : Ages.local(job.number(name)) + " (" + Ages.ago(now, job.number(name)) + ")";
  }
}
