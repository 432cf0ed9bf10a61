package dev.stint.client;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;

/** What a worker calls itself that was given no name. */
public final class WorkerName {
  private WorkerName() {}

  /** The machine's name and something that no other worker on it has. */
  public static String madeUp() {
    return host() + "-" + UUID.randomUUID().toString().substring(0, 8);
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "worker";
    }
  }
}
