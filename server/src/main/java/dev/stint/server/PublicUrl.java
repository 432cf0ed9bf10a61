package dev.stint.server;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Where workers reach this server: as it was set, or else where it listens, once that is known. */
final class PublicUrl implements Supplier<String> {
  private final Settings settings;
  private final CompletableFuture<Integer> port = new CompletableFuture<>();

  PublicUrl(Settings settings) {
    this.settings = settings;
  }

  /**
   * A URL that paths can be put behind.
   *
   * @throws SettingException if it is none
   */
  static String checked(String url) {
    try {
      URI uri = new URI(url);
      boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (isHttp
          && uri.getHost() != null
          && uri.getRawUserInfo() == null
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null) {
        return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
      }
    } catch (URISyntaxException notOne) {
      // told below
    }
    throw new SettingException(
        "--public-url", "must be a URL like https://stint.example.org, without user and query");
  }

  /** The server listens on this port. */
  void listensOn(int newPort) {
    port.complete(newPort);
  }

  @Override
  public String get() {
    String set = settings.callback().publicUrl();
    return set != null ? set : Addresses.url(settings, port.join());
  }
}
