package dev.stint.bench;

import dev.stint.server.Server;
import dev.stint.server.Settings;
import java.io.IOException;
import java.util.List;

/** The server under load, as a process of its own: the real one, with one more contract. */
final class BenchServer {
  static final String TOKEN_VARIABLE = "STINT_API_TOKEN";
  static final String PORT_PREFIX = "port ";

  private BenchServer() {}

  /**
   * Says its port on standard output, and stops when standard input ends, so that it never outlives
   * the bench.
   */
  public static void main(String[] arguments) throws IOException {
    String token = System.getenv(TOKEN_VARIABLE);
    // Some measurements have a million jobs wait, and are not about being refused.
    Settings settings =
        Settings.local(arguments[0]).withToken(token).withMaxQueueDepth(Long.MAX_VALUE);
    if (arguments.length > 1) {
      settings = settings.withRedis(arguments[1]);
    }
    try (Server server = Server.start(settings, List.of(new EchoContract()))) {
      System.out.println(PORT_PREFIX + server.port());
      while (System.in.read() >= 0) {
        // Nothing is ever written to it.
      }
    }
  }
}
