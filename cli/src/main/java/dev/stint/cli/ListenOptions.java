package dev.stint.cli;

import dev.stint.server.Addresses;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Where a control plane listens, and to whom: for all commands that run one. */
final class ListenOptions {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec command;

  @Option(
      names = {"--addr", "-addr"},
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:8080",
      description =
          "Where to listen; :8080 is all interfaces and needs a token. Default ${DEFAULT-VALUE}."
              + " [STINT_ADDR, HDCF_ADDR]")
  private String addr = "";

  @Option(
      names = {"--token", "-token"},
      paramLabel = "TOKEN",
      description =
          "The API token; without one, this machine only. Others can see it in the process list."
              + " [STINT_API_TOKEN, HDCF_API_TOKEN]")
  private @Nullable String token;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "A file with the API token in its first line. [STINT_TOKEN_FILE]")
  private @Nullable Path tokenFile;

  InetSocketAddress address() {
    return Addresses.parse(addr);
  }

  @Nullable String token() {
    return Tokens.token(command, token, tokenFile);
  }
}
