package dev.stint.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The secret that tokens are signed with, as options. */
final class JwtSecretOptions {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec command;

  @Option(
      names = "--jwt-secret",
      paramLabel = "SECRET",
      description =
          "What tokens are signed with, at least 32 bytes; without one, the database keeps one."
              + " Others can see it in the process list. [STINT_JWT_SECRET]")
  private @Nullable String jwtSecret;

  @Option(
      names = "--jwt-secret-file",
      paramLabel = "FILE",
      description = "A file with that secret in its first line. [STINT_JWT_SECRET_FILE]")
  private @Nullable Path jwtSecretFile;

  @Nullable String secret() {
    return Tokens.key(command, "--jwt-secret", jwtSecret, jwtSecretFile);
  }
}
