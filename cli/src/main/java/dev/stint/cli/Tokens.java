package dev.stint.cli;

import dev.stint.server.SettingException;
import dev.stint.server.Settings;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Secrets that are given by themselves or in a file: {@code --token}, {@code --token-file}. */
final class Tokens {
  private Tokens() {}

  /** The API token, or null if there is none. */
  static @Nullable String token(CommandSpec spec, @Nullable String token, @Nullable Path file) {
    return chosen(spec, "--token", token, file, Settings::sendable);
  }

  /** A secret to sign with, or null if there is none. */
  static @Nullable String key(
      CommandSpec spec, String option, @Nullable String key, @Nullable Path file) {
    return chosen(spec, option, key, file, Settings.Security::longEnough);
  }

  /** Refuses a secret in the name of the option that it came by. */
  private interface Check {
    void on(String option, @Nullable String secret);
  }

  /** A flag beats the environment, and of the environment the file beats the secret itself. */
  private static @Nullable String chosen(
      CommandSpec spec, String option, @Nullable String secret, @Nullable Path file, Check check) {
    String fileOption = option + "-file";
    boolean isSecretFlag = isFlagGiven(spec, option);
    if (isSecretFlag && isFlagGiven(spec, fileOption)) {
      throw new SettingException(fileOption, "give either it or " + option + ", not both");
    }
    if (file == null || isSecretFlag) {
      check.on(option, secret);
      return secret;
    }
    String line = firstLine(fileOption, file);
    check.on(fileOption, line);
    return line;
  }

  private static boolean isFlagGiven(CommandSpec spec, String option) {
    return spec.commandLine().getParseResult().hasMatchedOption(option);
  }

  private static String firstLine(String option, Path file) {
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      String line = lines.readLine();
      if (line == null || line.isBlank()) {
        throw new SettingException(option, "the first line of " + file + " is empty");
      }
      return line.strip();
    } catch (IOException e) {
      throw new SettingException(option, "cannot read " + file + ": " + why(e));
    }
  }

  private static String why(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "no such file";
      case AccessDeniedException _ -> "permission denied";
      case CharacterCodingException _ -> "it is no text";
      default -> String.valueOf(e.getMessage());
    };
  }
}
