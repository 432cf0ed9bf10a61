package dev.stint.cli;

import dev.stint.server.SettingException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Secrets that are given by themselves or in a file: {@code --token}, {@code --token-file}. */
final class Tokens {
  private Tokens() {}

  /** A flag beats the environment, and of the environment the file beats the secret itself. */
  static @Nullable String chosen(
      CommandSpec spec, String option, @Nullable String secret, @Nullable Path file) {
    String fileOption = option + "-file";
    boolean isSecretFlag = isFlagGiven(spec, option);
    if (isSecretFlag && isFlagGiven(spec, fileOption)) {
      throw new SettingException(fileOption, "give either it or " + option + ", not both");
    }
    return file == null || isSecretFlag ? secret : firstLine(fileOption, file);
  }

  private static boolean isFlagGiven(CommandSpec spec, String option) {
    return spec.commandLine().getParseResult().hasMatchedOption(option);
  }

  private static String firstLine(String option, Path file) {
    try (var lines = Files.lines(file)) {
      return lines.findFirst().map(String::strip).orElse("");
    } catch (IOException | UncheckedIOException e) {
      throw new SettingException(option, "cannot read " + file);
    }
  }
}
