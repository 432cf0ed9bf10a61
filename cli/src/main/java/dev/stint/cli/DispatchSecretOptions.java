package dev.stint.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The secret that deliveries of tasks are signed with, as options. */
final class DispatchSecretOptions {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec command;

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
    return Tokens.key(command, "--dispatch-secret", dispatchSecret, dispatchSecretFile);
  }
}
