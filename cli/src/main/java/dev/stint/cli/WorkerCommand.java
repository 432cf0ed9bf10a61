package dev.stint.cli;

import dev.stint.server.Settings;
import dev.stint.worker.Daemon;
import dev.stint.worker.WorkerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the worker daemon until it is told to stop. */
@Command(
    name = "worker",
    description = {
      "Takes jobs from a control plane and runs their commands on this machine; or, with --redis,"
          + " takes jobs from a Redis stream and runs one command for each.",
      "",
      "  stint worker --control-url http://control:8080 --slots 4",
      "  stint worker --redis redis://cache:6379 --slots 4 -- ./answer --to {payload.prompt}"
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footerHeading = "%nExit codes:%n",
    footer = {
      "  0  stopped as told (SIGTERM, SIGHUP or Ctrl-C)",
      "  1  something unexpected",
      "  2  a wrong option or setting",
      "  5  the control plane does not take it: wrong token, or another worker's id",
      ExitCodes.STATE_IN_USE_LINE,
      "  130  told twice: it ended all jobs and stopped at once"
    })
final class WorkerCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = {"--control-url", "-control-url"},
      paramLabel = "URL",
      defaultValue = "http://localhost:8080",
      description =
          "The control plane. Default ${DEFAULT-VALUE}. [STINT_CONTROL_URL, HDCF_CONTROL_URL]")
  private String controlUrl = "";

  @Option(
      names = {"--worker-id", "-worker-id"},
      paramLabel = "ID",
      description =
          "What it calls itself. Default: the host name and something made up, kept in the state"
              + " file. [STINT_WORKER_ID, HDCF_WORKER_ID]")
  private @Nullable String workerId;

  @Option(
      names = {"--token", "-token"},
      paramLabel = "TOKEN",
      defaultValue = Settings.DEV_TOKEN,
      description =
          "The API token. Others can see it in the process list. Default ${DEFAULT-VALUE}."
              + " [STINT_API_TOKEN, HDCF_API_TOKEN]")
  private @Nullable String token;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "A file with the API token in its first line. [STINT_TOKEN_FILE]")
  private @Nullable Path tokenFile;

  @Option(
      names = {"--worker-nonce", "-worker-nonce"},
      paramLabel = "NONCE",
      description =
          "A secret that goes with the id: whoever comes with another is not let in."
              + " [STINT_WORKER_NONCE, HDCF_WORKER_NONCE]")
  private @Nullable String workerNonce;

  @Option(
      names = {"--capabilities", "-capabilities"},
      paramLabel = "A,B",
      split = ",",
      description =
          "What jobs may require of it, such as gpu,ssd."
              + " [STINT_WORKER_CAPABILITIES, HDCF_WORKER_CAPABILITIES]")
  private List<String> capabilities = List.of();

  @Option(
      names = "--queue",
      paramLabel = "NAME",
      defaultValue = "commands",
      description = "The queue to take jobs from. Default ${DEFAULT-VALUE}. [STINT_QUEUE]")
  private String queue = "";

  @Option(
      names = "--slots",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many jobs to run at once. Default ${DEFAULT-VALUE}. [STINT_SLOTS]")
  private int slots;

  @Option(
      names = {"--poll-interval-seconds", "-poll-interval-seconds"},
      paramLabel = "N",
      defaultValue = "3",
      description =
          "How long to wait for a job before asking again. Default ${DEFAULT-VALUE}."
              + " [STINT_POLL_INTERVAL_SECONDS]")
  private int pollIntervalSeconds;

  @Option(
      names = {"--heartbeat-interval-seconds", "-heartbeat-interval-seconds"},
      paramLabel = "N",
      defaultValue = "5",
      description =
          "How often to tell that it lives. Default ${DEFAULT-VALUE}."
              + " [STINT_HEARTBEAT_INTERVAL_SECONDS]")
  private int heartbeatIntervalSeconds;

  @Option(
      names = {"--heartbeat-metrics", "-heartbeat-metrics"},
      fallbackValue = Environment.ON,
      description =
          "Tell with it how busy the processors, memory, disk and GPUs are."
              + " [STINT_HEARTBEAT_METRICS]")
  private boolean heartbeatMetrics;

  @Option(
      names = {"--request-timeout-seconds", "-request-timeout-seconds"},
      paramLabel = "N",
      defaultValue = "10",
      description =
          "How long to wait for an answer. Default ${DEFAULT-VALUE}."
              + " [STINT_REQUEST_TIMEOUT_SECONDS]")
  private int requestTimeoutSeconds;

  @Option(
      names = {"--log-dir", "-log-dir"},
      paramLabel = "FOLDER",
      defaultValue = "worker-logs",
      description = "Where to keep what jobs print. Default ${DEFAULT-VALUE}. [STINT_LOG_DIR]")
  private Path logDir = Path.of("");

  @Option(
      names = "--max-log-bytes",
      paramLabel = "N",
      defaultValue = "" + WorkerSettings.USUAL_MAX_LOG_BYTES,
      description =
          "How much a job may print, on stdout and stderr together; one that prints more is ended"
              + " and has failed. Default ${DEFAULT-VALUE}. [STINT_MAX_LOG_BYTES]")
  private long maxLogBytes;

  @Option(
      names = {"--state-file", "-state-file"},
      paramLabel = "FILE",
      description =
          "Where to keep what the next start has to know. Default worker-state.json in the log"
              + " folder. [STINT_STATE_FILE]")
  private @Nullable Path stateFile;

  @Option(
      names = "--retry-failed",
      fallbackValue = Environment.ON,
      description =
          "Let the control plane try a command again that failed, while attempts remain."
              + " [STINT_RETRY_FAILED]")
  private boolean retryFailed;

  @Option(
      names = "--drain-seconds",
      paramLabel = "N",
      defaultValue = "30",
      description =
          "How long jobs may go on when it is told to stop; then they are ended and handed back."
              + " Default ${DEFAULT-VALUE}. [STINT_DRAIN_SECONDS]")
  private int drainSeconds;

  @Option(
      names = "--kill-grace-seconds",
      paramLabel = "N",
      defaultValue = "10",
      description =
          "How long a job's processes have between SIGTERM and SIGKILL. Default ${DEFAULT-VALUE}."
              + " [STINT_KILL_GRACE_SECONDS]")
  private int killGraceSeconds;

  @Mixin private final LogOptions log = new LogOptions();

  @Mixin private NativeOptions natives = new NativeOptions();

  @Override
  public Integer call() throws InterruptedException {
    log.configure();
    if (natives.areMeant(spec)) {
      natives.refuseFlagsOfOtherWay(spec);
      WorkerSettings.Times times = checked(this::times);
      return natives.run(spec, workerId, slots, times.drain(), times.killGrace());
    }
    natives.refuseOwnFlags(spec);
    Daemon daemon = new Daemon(checked(this::settings));
    Signals.stopWith(daemon::drain, daemon::killAll);
    return daemon.run() ? Signals.exitCode() : ExitCodes.REFUSED;
  }

  private <T> T checked(Supplier<T> settings) {
    try {
      return settings.get();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
  }

  private WorkerSettings settings() {
    return new WorkerSettings(
        controlUrl,
        workerId,
        Objects.requireNonNullElse(Tokens.token(spec, token, tokenFile), ""),
        workerNonce,
        capabilities.stream().map(String::strip).filter(word -> !word.isEmpty()).toList(),
        queue,
        slots,
        logDir,
        Objects.requireNonNullElse(stateFile, logDir.resolve("worker-state.json")),
        maxLogBytes,
        times(),
        heartbeatMetrics,
        retryFailed);
  }

  private WorkerSettings.Times times() {
    return new WorkerSettings.Times(
        Duration.ofSeconds(pollIntervalSeconds),
        Duration.ofSeconds(heartbeatIntervalSeconds),
        Duration.ofSeconds(requestTimeoutSeconds),
        Duration.ofSeconds(drainSeconds),
        Duration.ofSeconds(killGraceSeconds));
  }
}
