package dev.stint.cli;

import dev.stint.server.Addresses;
import dev.stint.server.Settings;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** Where things are, as it may be shown. */
final class Places {
  private Places() {}

  /** Where this machine reaches a server. */
  static String url(Settings settings, int port) {
    InetSocketAddress address = settings.address();
    return (settings.security().tls() == null ? "http://" : "https://")
        + Addresses.text(
            address.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress("localhost", port)
                : new InetSocketAddress(address.getAddress(), port));
  }

  /** What to open in a browser. */
  static String dashboard(String url) {
    return url + "/ui";
  }

  /** The whole path of a file, or a URL without what is secret in it. */
  static String of(String db) {
    if (!db.startsWith("jdbc:")) {
      return Path.of(db).toAbsolutePath().normalize().toString();
    }
    return db.replaceFirst("//[^/@]*@", "//").replaceFirst("\\?.*", "");
  }
}
