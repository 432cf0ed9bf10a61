package dev.stint.server;

import java.net.Inet6Address;
import java.net.InetSocketAddress;

/** Addresses to listen on, as people write them. */
public final class Addresses {
  private Addresses() {}

  /** Reads {@code host:port}, {@code [ipv6]:port}, or {@code :port} for all interfaces. */
  public static InetSocketAddress parse(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon);
    boolean isBracketed = host.startsWith("[") && host.endsWith("]");
    if (colon < 0 || (host.contains(":") && !isBracketed)) {
      throw new SettingException(
          "--addr", "must be host:port or :port (all interfaces), not " + text);
    }
    int port = port(text, text.substring(colon + 1));
    return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
  }

  private static int port(String text, String digits) {
    try {
      int port = Integer.parseInt(digits);
      if (port >= 0 && port <= 65_535) {
        return port;
      }
    } catch (NumberFormatException notOne) {
      // told below
    }
    throw new SettingException("--addr", "must end in a port from 0 to 65535, not " + text);
  }

  /** The address as one would put it into a URL. */
  public static String text(InetSocketAddress address) {
    String host = address.getAddress() == null ? address.getHostString() : host(address);
    return host + ":" + address.getPort();
  }

  /** Where this machine reaches a server with these settings. */
  public static String url(Settings settings, int port) {
    InetSocketAddress address = settings.address();
    return (settings.security().tls() == null ? "http://" : "https://")
        + text(
            address.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress("localhost", port)
                : new InetSocketAddress(address.getAddress(), port));
  }

  private static String host(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return address.getAddress() instanceof Inet6Address ? "[" + host + "]" : host;
  }
}
