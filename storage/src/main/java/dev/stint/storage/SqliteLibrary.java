package dev.stint.storage;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteJDBCLoader;

/**
 * The native library of the SQLite driver. The driver writes it into a file in the temporary folder
 * and removes that when the process ends, which it cannot if the process is killed. So it gets a
 * folder that only this process knows and only its user may write to, and the folder goes as soon
 * as the library is loaded, since nothing needs the file any more.
 */
final class SqliteLibrary {
  private static final Logger log = LoggerFactory.getLogger(SqliteLibrary.class);

  /** The driver's own setting; who gives it wants another folder than the system's. */
  private static final String FOLDER_PROPERTY = "org.sqlite.tmpdir";

  private static boolean isTried;

  private SqliteLibrary() {}

  /** Loads it, if that was not tried yet. Where it fails, the driver tries again as it is used. */
  static synchronized void load() {
    if (isTried) {
      return;
    }
    isTried = true;
    String given = System.getProperty(FOLDER_PROPERTY);
    String parent = given == null ? System.getProperty("java.io.tmpdir", "") : given;
    try {
      Path folder = Files.createTempDirectory(Path.of(parent), "stint-sqlite-");
      System.setProperty(FOLDER_PROPERTY, folder.toString());
      try {
        SQLiteJDBCLoader.initialize();
      } finally {
        restore(given);
        remove(folder);
      }
    } catch (Exception e) { // the driver declares no other
      log.debug("the driver is left to load its library: {}", e.toString());
    }
  }

  private static void restore(@Nullable String given) {
    if (given == null) {
      System.clearProperty(FOLDER_PROPERTY);
    } else {
      System.setProperty(FOLDER_PROPERTY, given);
    }
  }

  private static void remove(Path folder) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
