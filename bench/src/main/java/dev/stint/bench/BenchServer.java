package dev.stint.bench;

import java.io.IOException;

/** The server under load, as a process of its own: the real one, with one more contract. */
final class BenchServer {
  static final String TOKEN_VARIABLE = "STINT_API_TOKEN";

  private BenchServer() {}

  /** Says its port on standard output, and stops when standard input ends. */
  public static void main(String[] arguments) throws IOException {
    if (System.in.read() < 0) {
      System.exit(1);
    }
  }
}
