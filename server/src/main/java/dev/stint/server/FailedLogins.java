package dev.stint.server;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Keeps anyone from guessing credentials: an address that was wrong too often has to wait. */
final class FailedLogins {
  private static final int MAX_ADDRESSES = 10_000;

  private final int perMinute;
  private final LongSupplier nanoTime;
  private final Map<String, Allowance> addresses =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Allowance> eldest) {
          return size() > MAX_ADDRESSES;
        }
      };

  /** How many more failures are allowed, as of a moment; it grows with time up to the limit. */
  private record Allowance(double left, long asOfNanos) {}

  FailedLogins(int perMinute, LongSupplier nanoTime) {
    this.perMinute = perMinute;
    this.nanoTime = nanoTime;
  }

  /** How many seconds this address has to wait before it may be wrong again, or 0. */
  int mustWaitSeconds(String address) {
    double left = left(address);
    return left >= 1 ? 0 : (int) Math.ceil((1 - left) * 60 / perMinute);
  }

  synchronized void failed(String address) {
    addresses.put(address, new Allowance(Math.max(0, left(address) - 1), nanoTime.getAsLong()));
  }

  private synchronized double left(String address) {
    Allowance allowance = addresses.get(address);
    if (allowance == null) {
      return perMinute;
    }
    long elapsed = nanoTime.getAsLong() - allowance.asOfNanos;
    double regained = (double) elapsed / TimeUnit.MINUTES.toNanos(1) * perMinute;
    return Math.min(perMinute, allowance.left + regained);
  }
}
