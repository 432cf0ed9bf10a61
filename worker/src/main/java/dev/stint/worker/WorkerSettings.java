package dev.stint.worker;

import dev.stint.client.Api;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that can be set. A wrong value is an {@link IllegalArgumentException} whose message is one
 * line that names the flag.
 *
 * @param workerId what it calls itself, or null to make up a name once and keep it
 * @param nonce proves later that it is the same worker, or null
 * @param slots how many jobs it runs at once
 * @param maxLogBytes how much a job may print, on stdout and stderr together
 * @param isRetryFailed whether a command that fails may be tried again
 */
public record WorkerSettings(
    String controlUrl,
    @Nullable String workerId,
    String token,
    @Nullable String nonce,
    List<String> capabilities,
    String queue,
    int slots,
    Path logDir,
    Path stateFile,
    long maxLogBytes,
    Times times,
    boolean isHeartbeatMetrics,
    boolean isRetryFailed) {

  /**
   * How long things take.
   *
   * @param drain for jobs to end by themselves when the worker is told to stop
   * @param killGrace between asking a job's processes to end and ending them
   */
  public record Times(
      Duration poll, Duration heartbeat, Duration request, Duration drain, Duration killGrace) {
    private static final Duration MOMENT = Duration.ofSeconds(1);
    private static final Duration DAY = Duration.ofDays(1);

    public Times {
      within("--poll-interval-seconds", poll, MOMENT);
      within("--heartbeat-interval-seconds", heartbeat, MOMENT);
      within("--request-timeout-seconds", request, MOMENT);
      within("--drain-seconds", drain, Duration.ZERO);
      within("--kill-grace-seconds", killGrace, Duration.ZERO);
    }

    private static void within(String flag, Duration value, Duration least) {
      require(
          value.compareTo(least) >= 0 && value.compareTo(DAY) <= 0,
          flag,
          "must be " + least.toSeconds() + " to " + DAY.toSeconds());
    }
  }

  /** A gibibyte: nobody reads as much, and most disks have room for it. */
  public static final long USUAL_MAX_LOG_BYTES = 1L << 30;

  private static final int MAX_SLOTS = 1000;

  public WorkerSettings {
    capabilities = List.copyOf(capabilities);
    require(Api.isUrl(controlUrl), "--control-url", "must be a URL such as http://localhost:8080");
    require(
        token.matches("[!-~]{1,1000}"),
        "--token",
        "must be 1 to 1000 visible ASCII characters, as it is sent in a header");
    require(
        workerId == null || !workerId.isBlank(),
        "--worker-id",
        "must not be empty where it is given");
    require(!queue.isBlank(), "--queue", "must not be empty");
    require(slots >= 1 && slots <= MAX_SLOTS, "--slots", "must be 1 to " + MAX_SLOTS);
    require(maxLogBytes >= 1, "--max-log-bytes", "must be at least 1");
    logDir = logDir.toAbsolutePath().normalize();
    stateFile = stateFile.toAbsolutePath().normalize();
    require(!Files.isDirectory(stateFile), "--state-file", "must be a file, and is a folder");
  }

  private static void require(boolean isTrue, String flag, String problem) {
    if (!isTrue) {
      throw new IllegalArgumentException(flag + ": " + problem);
    }
  }
}
