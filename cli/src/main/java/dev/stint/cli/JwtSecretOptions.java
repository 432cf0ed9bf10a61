package dev.stint.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The secret that tokens are signed with, as options. */
final class JwtSecretOptions {
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
    return jwtSecretFile == null || jwtSecret != null
        ? jwtSecret
        : Tokens.firstLine("--jwt-secret-file", jwtSecretFile);
  }
}
