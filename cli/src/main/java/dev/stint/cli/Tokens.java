package dev.stint.cli;

import dev.stint.server.SettingException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Which API token counts, when it can be given in two ways. */
final class Tokens {
  private Tokens() {}

  /** A flag beats the environment, and of the environment the file beats the token itself. */
  static @Nullable String chosen(
      CommandSpec command, @Nullable String token, @Nullable Path tokenFile) {
    boolean isTokenFlag = isFlagGiven(command, "--token");
    if (isTokenFlag && isFlagGiven(command, "--token-file")) {
      throw new SettingException("--token-file", "give either it or --token, not both");
    }
    return tokenFile == null || isTokenFlag ? token : firstLine(tokenFile);
  }

  private static boolean isFlagGiven(CommandSpec command, String option) {
    return command.commandLine().getParseResult().hasMatchedOption(option);
  }

  private static String firstLine(Path file) {
    try (var lines = Files.lines(file)) {
      return lines.findFirst().map(String::strip).orElse("");
    } catch (IOException | UncheckedIOException e) {
      throw new SettingException("--token-file", "cannot read " + file);
    }
  }
}
