package dev.stint.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The database under the server, and the settings that decide what survives a power cut. A figure
 * without them says nothing.
 *
 * @param where for a reader; never with a password
 * @param durability setting to value
 */
record Database(String kind, String where, Map<String, String> durability) {
  private static final int SYNCS = 50;
  private static final String POSTGRES = "jdbc:postgresql:";

  static boolean isPostgres(String db) {
    return db.startsWith(POSTGRES);
  }

  /** A file that is made for the run, and removed after it. */
  static Database temporarySqlite() {
    return sqlite(Path.of(System.getProperty("java.io.tmpdir")), "a temporary file");
  }

  static Database sqlite(String file) {
    Path directory = Path.of(file).toAbsolutePath().getParent();
    return sqlite(directory == null ? Path.of("/") : directory, file);
  }

  /**
   * The server opens every file like this; the setting belongs to a connection, not to the file,
   * and cannot be asked for from here. Where the file lies counts as much: on a tmpfs nothing is
   * durable.
   */
  private static Database sqlite(Path directory, String where) {
    Map<String, String> durability = new LinkedHashMap<>();
    durability.put("journal_mode", "WAL");
    durability.put("synchronous", "FULL");
    try {
      durability.put("filesystem", Files.getFileStore(directory).type());
      durability.put("sync", String.format(Locale.ROOT, "%.2f ms", medianSyncMillis(directory)));
    } catch (IOException e) {
      durability.put("filesystem", "unknown (" + e.getMessage() + ")");
    }
    return new Database("SQLite", where, durability);
  }

  /** How long this disk takes to make 8 KB durable: the least that a commit can take. */
  private static double medianSyncMillis(Path directory) throws IOException {
    Path file = Files.createTempFile(directory, "stint-bench-", ".sync");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      Histogram histogram = new Histogram();
      for (int i = 0; i < SYNCS; i++) {
        long start = System.nanoTime();
        channel.write(ByteBuffer.allocate(8 * 1024));
        channel.force(false);
        histogram.record(System.nanoTime() - start);
      }
      return histogram.percentile(50) / 1e6;
    } finally {
      Files.delete(file);
    }
  }

  /** A server that somebody else has started. */
  static Database unknown(Target target) {
    return new Database("unknown", "whatever the server at " + target.base() + " uses", Map.of());
  }

  /** Asks a PostgreSQL for its settings. */
  static Database postgres(String url) throws RunFailedException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      Map<String, String> durability = new LinkedHashMap<>();
      for (String setting : new String[] {"synchronous_commit", "fsync", "full_page_writes"}) {
        durability.put(setting, show(statement, setting));
      }
      String kind = "PostgreSQL " + show(statement, "server_version");
      return new Database(kind, withoutSecrets(url), durability);
    } catch (SQLException e) {
      throw new RunFailedException(
          "cannot open %s: %s".formatted(withoutSecrets(url), e.getMessage()), e);
    }
  }

  /** On one line, with all settings. */
  String describe() {
    return "%s, %s%s".formatted(kind, where, durability.isEmpty() ? "" : "; " + settings());
  }

  /** What decides how durable it is. */
  String settings() {
    return durability.entrySet().stream()
        .map(Map.Entry::toString)
        .collect(Collectors.joining(", "));
  }

  /** User and password stand behind the question mark. */
  static String withoutSecrets(String url) {
    return url.replaceFirst("\\?.*", "").replaceFirst("//[^/@]*@", "//");
  }

  private static String show(Statement statement, String setting) throws SQLException {
    try (ResultSet rows = statement.executeQuery("SHOW " + setting)) {
      return rows.next() ? rows.getString(1) : "unknown";
    }
  }
}
