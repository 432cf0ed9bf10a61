package dev.stint.cli;

import dev.stint.server.Logging;
import picocli.CommandLine.Option;

/** What is logged, for all commands that go on until they are told to stop. */
final class LogOptions {
  @Option(
      names = "--log-level",
      paramLabel = "LEVEL",
      defaultValue = "info",
      description =
          "What to log on stderr: error, warn, info or debug. Default ${DEFAULT-VALUE}."
              + " [STINT_LOG_LEVEL]")
  private String logLevel = "";

  void configure() {
    Logging.configure(logLevel);
  }
}
