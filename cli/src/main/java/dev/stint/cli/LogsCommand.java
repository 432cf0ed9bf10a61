package dev.stint.cli;

import dev.stint.client.Answer;
import dev.stint.client.Api;
import dev.stint.server.SettingException;
import java.io.IOException;
import java.io.InputStream;
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
  /** No attempt's fence; 0 is what a control plane that does not tell them has. */
  private static final long NONE = -1;

  @Parameters(paramLabel = "ID", converter = Name.class, description = "The job.")
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
    // Whoever cannot be reached at all is most likely not where it was looked for.
    Fields job = new Fields(control.get(path()).body());
    return isFollow ? follow(log, job) : print(log, job);
  }

  private int print(JobLog log, Fields job) throws IOException, InterruptedException {
    try (InputStream in = log.open(job)) {
      if (in == null) {
        control.say("stint: " + log.whyNot(job));
        return ExitCodes.NO_LOG;
      }
      JobLog.copy(in, System.out, () -> true);
      return ExitCodes.OK;
    }
  }

  /**
   * One attempt after the other, each while it has the job, until the job ends. While the control
   * plane is away nothing is known to have changed, and what is printed meanwhile is shown.
   */
  private int follow(JobLog log, Fields first) throws IOException, InterruptedException {
    Contact contact = new Contact(control);
    long followed = NONE;
    for (Fields job = first; ; job = next(contact, job)) {
      Fields known = job;
      long fence = job.number("fence");
      if (JobStatus.isEnd(job)) {
        return followed == fence ? ExitCodes.OK : print(log, job);
      }
      if (JobStatus.isHeld(job) && followed != fence) {
        try (InputStream in = log.open(job)) {
          if (in != null) {
            JobLog.copy(in, System.out, () -> !isHeldBy(fence, next(contact, known)));
            followed = fence;
          }
        }
      }
      Thread.sleep(JobLog.PAUSE_MS);
    }
  }

  /** The job as it is now, as far as that can be had. */
  private Fields next(Contact contact, Fields before) throws IOException {
    Answer answer = contact.get(path());
    return answer == null ? before : new Fields(answer.body());
  }

  private static boolean isHeldBy(long fence, Fields job) {
    return JobStatus.isHeld(job) && job.number("fence") == fence;
  }

  private String path() {
    return "/jobs/" + Api.encoded(id);
  }
}
