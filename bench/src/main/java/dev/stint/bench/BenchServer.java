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
    Settings settings = withoutQueueLimit(Settings.local(arguments[0]).withToken(token));
    try (Server server = Server.start(settings, List.of(new EchoContract()))) {
      System.out.println(PORT_PREFIX + server.port());
      while (System.in.read() >= 0) {
        // Nothing is ever written to it.
      }
    }
  }

  /** Some measurements have a million jobs wait, and are not about being refused. */
  private static Settings withoutQueueLimit(Settings standard) {
    return new Settings(
        standard.address(),
        standard.db(),
        standard.token(),
        standard.leaseTtlSeconds(),
        standard.tasks(),
        Integer.MAX_VALUE,
        standard.jobTtlSeconds(),
        standard.cancelGraceSeconds(),
        standard.retentionDays(),
        standard.fleet(),
        standard.callback(),
        standard.streams(),
        standard.security());
  }
}
