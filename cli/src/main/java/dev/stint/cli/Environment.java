package dev.stint.cli;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Environment variables as defaults of options: {@code STINT_LEASE_TTL_SECONDS} for {@code
 * --lease-ttl-seconds} and so on, and the names that documents give to some. A flag beats them all,
 * and an empty variable is as one that is not set.
 */
final class Environment implements IDefaultValueProvider {
  /**
   * The fallback value of each flag that has a variable. Without one picocli sets a flag to the
   * opposite of its default, so that flag and variable together would turn it off.
   */
  static final String ON = "true";

  /** Where it is not just the option's own name, or not only that. */
  private static final Map<String, List<String>> SETTLED_NAMES =
      Map.ofEntries(
          entry("--addr", "STINT_ADDR", "HDCF_ADDR"),
          entry("--db", "STINT_DB", "STINT_DB_PATH", "HDCF_DB_PATH"),
          entry("--token", "STINT_API_TOKEN", "HDCF_API_TOKEN"),
          entry("--url", "STINT_URL", "STINT_CONTROL_URL", "HDCF_CONTROL_URL"),
          entry("--job-ttl-s", "STINT_JOB_TTL_S", "JOB_TTL_S"),
          entry(
              "--heartbeat-timeout-seconds",
              "STINT_HEARTBEAT_TIMEOUT_SECONDS",
              "HDCF_HEARTBEAT_TIMEOUT_SECONDS"),
          entry(
              "--reconcile-interval-seconds",
              "STINT_RECONCILE_INTERVAL_SECONDS",
              "HDCF_RECONCILE_INTERVAL_SECONDS"),
          entry(
              "--assignment-ttl-seconds",
              "STINT_ASSIGNMENT_TTL_SECONDS",
              "HDCF_ASSIGNMENT_TTL_SECONDS"),
          entry("--control-url", "STINT_CONTROL_URL", "HDCF_CONTROL_URL"),
          entry("--worker-id", "STINT_WORKER_ID", "HDCF_WORKER_ID"),
          entry("--worker-nonce", "STINT_WORKER_NONCE", "HDCF_WORKER_NONCE"),
          entry("--capabilities", "STINT_WORKER_CAPABILITIES", "HDCF_WORKER_CAPABILITIES"));

  /** What a client command takes from the environment: where to call, and who is calling. */
  private static final List<String> OF_CLIENTS =
      List.of("--url", "--token", "--token-file", "--log-dir");

  private final Map<String, String> variables;
  private final boolean isForClient;

  private Environment(Map<String, String> variables, boolean isForClient) {
    this.variables = variables;
    this.isForClient = isForClient;
  }

  /** For every option of a command, but those that show its help and its version. */
  Environment(Map<String, String> variables) {
    this(variables, false);
  }

  /** For a command that calls a control plane: what it asks for is said by flags alone. */
  static Environment ofClient(Map<String, String> variables) {
    return new Environment(variables, true);
  }

  private static Map.Entry<String, List<String>> entry(String option, String... variables) {
    return Map.entry(option, List.of(variables));
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    if (!(argument instanceof OptionSpec option)
        || option.usageHelp()
        || option.versionHelp()
        || (isForClient && !OF_CLIENTS.contains(option.longestName()))) {
      return null;
    }
    for (String name : names(option.longestName())) {
      String value = variables.get(name);
      if (value != null && !value.isEmpty()) {
        return value;
      }
    }
    return null;
  }

  /** The variables for an option, the one that counts most first. */
  static List<String> names(String option) {
    String own = option.replaceFirst("^-+", "").replace('-', '_').toUpperCase(Locale.ROOT);
    return SETTLED_NAMES.getOrDefault(option, List.of("STINT_" + own));
  }
}
