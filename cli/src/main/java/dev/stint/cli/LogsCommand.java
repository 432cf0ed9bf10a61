package dev.stint.cli;

import dev.stint.client.Api;
import dev.stint.server.SettingException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stint logs}. */
@Command(
    name = "logs",
    description = "Prints what a job printed, where its worker is this machine.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint logs 01a2b3c4-…",
      "  stint logs 01a2b3c4-… --stderr --follow",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.UNREACHABLE_LINE,
      ExitCodes.NO_LOG_LINE
    })
final class LogsCommand implements Callable<Integer> {
  @Parameters(paramLabel = "ID", description = "The job.")
  @SuppressWarnings("NullAway.Init") // set by picocli
  private String id;

  @Option(names = "--stderr", description = "What it printed on stderr, and not on stdout.")
  private boolean isStderr;

  @Option(
      names = {"-f", "--follow"},
      description = "Wait for it to run, and go on until it ends.")
  private boolean isFollow;

  @Option(
      names = "--log-dir",
      paramLabel = "FOLDER",
      description =
          "Where the worker keeps what is still being written. Default: worker-logs, or"
              + " data/worker-logs. [STINT_LOG_DIR]")
  private @Nullable Path logDir;

  @Mixin private final ControlPlane control = new ControlPlane();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (control.isJson()) {
      throw new SettingException("--json", "a log is printed as it is; see: stint job ID --json");
    }
    List<Path> folders =
        logDir == null
            ? List.of(Path.of("worker-logs"), Path.of("data", "worker-logs"))
            : List.of(logDir);
    JobLog log = new JobLog(id, isStderr ? "stderr" : "stdout", folders);
    Fields job = job();
    Path file = find(log, job);
    while (file == null && isFollow && !JobStatus.isEnd(job)) {
      Thread.sleep(JobLog.PAUSE_MS);
      job = job();
      file = find(log, job);
    }
    if (file == null) {
      control.say("stint: " + log.whyNot(job));
      return ExitCodes.NO_LOG;
    }
    JobLog.copy(file, System.out, isFollow ? this::isOver : () -> true);
    return ExitCodes.OK;
  }

  /** What is followed has to be of this attempt, and not of one before. */
  private @Nullable Path find(JobLog log, Fields job) throws IOException {
    if (isFollow && !JobStatus.isEnd(job)) {
      return JobStatus.isHeld(job) ? log.findOpen() : null;
    }
    return log.find(job);
  }

  private boolean isOver() throws IOException {
    return !JobStatus.isHeld(job());
  }

  private Fields job() throws IOException {
    return new Fields(control.get("/jobs/" + Api.encoded(id)).body());
  }
}
