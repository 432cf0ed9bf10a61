package dev.stint.server;

import java.util.function.BooleanSupplier;

/** Waits for what happens elsewhere. */
final class Waits {
  private static final long MAX_NANOS = 10_000_000_000L;

  private Waits() {}

  static void until(BooleanSupplier condition) throws InterruptedException {
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - begin > MAX_NANOS) {
        throw new AssertionError("it did not happen");
      }
      Thread.sleep(10);
    }
  }
}
