package dev.stint.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The secret that deliveries of tasks are signed with, as options. */
final class DispatchSecretOptions {
  @Option(
      names = "--dispatch-secret",
      paramLabel = "SECRET",
      description =
          "What deliveries of callback tasks are signed with, at least 32 bytes; without one, the"
              + " database keeps one. Others can see it in the process list."
              + " [STINT_DISPATCH_SECRET]")
  private @Nullable String dispatchSecret;

  @Option(
      names = "--dispatch-secret-file",
      paramLabel = "FILE",
      description = "A file with that secret in its first line. [STINT_DISPATCH_SECRET_FILE]")
  private @Nullable Path dispatchSecretFile;

  @Nullable String secret() {
    return dispatchSecretFile == null || dispatchSecret != null
        ? dispatchSecret
        : Tokens.firstLine("--dispatch-secret-file", dispatchSecretFile);
  }
}
