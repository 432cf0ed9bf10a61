package dev.stint.cli;

import java.nio.file.Path;

/** Where things are, as it may be shown. */
final class Places {
  private Places() {}

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
