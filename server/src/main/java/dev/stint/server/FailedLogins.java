package dev.stint.server;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Keeps anyone from guessing credentials: an address that was wrong too often has to wait. Whoever
 * shares it and was let in before is let in all the same.
 */
final class FailedLogins {
  private static final int MAX_ADDRESSES = 10_000;
  private static final int MAX_KNOWN = 10_000;

  private final int perMinute;
  private final LongSupplier nanoTime;
  private final Set<String> known = ConcurrentHashMap.newKeySet();
  private volatile boolean anyFailed;
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

  /**
   * How many seconds this address has to wait before a credential is looked at, or 0.
   *
   * @param credentialHash of the credential that it wants to use
   */
  int mustWaitSeconds(Supplier<String> address, String credentialHash) {
    if (!anyFailed || known.contains(credentialHash)) {
      return 0;
    }
    double left = left(address.get());
    return left >= 1 ? 0 : (int) Math.ceil((1 - left) * 60 / perMinute);
  }

  synchronized void failed(String address) {
    anyFailed = true;
    addresses.put(address, new Allowance(Math.max(0, left(address) - 1), nanoTime.getAsLong()));
  }

  void succeeded(String credentialHash) {
    if (known.contains(credentialHash)) {
      return;
    }
    if (known.size() >= MAX_KNOWN) {
      known.clear(); // forgetting costs nothing but a wait at a bad moment
    }
    known.add(credentialHash);
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
