package dev.stint.cli;

import dev.stint.server.SettingException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** The API token of commands that have {@code --token} and {@code --token-file}. */
final class Tokens {
  private Tokens() {}

  /** A flag beats the environment, and of the environment the file beats the token itself. */
  static @Nullable String chosen(
      CommandSpec spec, @Nullable String token, @Nullable Path tokenFile) {
    boolean isTokenFlag = isFlagGiven(spec, "--token");
    if (isTokenFlag && isFlagGiven(spec, "--token-file")) {
      throw new SettingException("--token-file", "give either it or --token, not both");
    }
    return tokenFile == null || isTokenFlag ? token : firstLine(tokenFile);
  }

  private static boolean isFlagGiven(CommandSpec spec, String option) {
    return spec.commandLine().getParseResult().hasMatchedOption(option);
  }

  private static String firstLine(Path file) {
    try (var lines = Files.lines(file)) {
      return lines.findFirst().map(String::strip).orElse("");
    } catch (IOException | UncheckedIOException e) {
      throw new SettingException("--token-file", "cannot read " + file);
    }
  }
}
