package dev.stint.testkit;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** A real PostgreSQL server for tests, on a free port; ends with the JVM at the latest. */
public final class TestPostgres implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofMinutes(1);
  private static final AtomicInteger DATABASES = new AtomicInteger();

  private final EmbeddedPostgres server;

  private TestPostgres(EmbeddedPostgres server) {
    this.server = server;
  }

  /** The server that all tests of this JVM share. */
  public static TestPostgres shared() {
    return Shared.SERVER;
  }

  /**
   * Starts a server of its own, for tests that stop it.
   *
   * @param data where its data are, kept when it is closed
   * @param port 0 for any that is free
   */
  public static TestPostgres start(Path data, int port) {
    return new TestPostgres(
        start(
            EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setPort(port)));
  }

  private static EmbeddedPostgres start(EmbeddedPostgres.Builder builder) {
    try {
      // Tests want to see commits, not the disk.
      return builder
          .setPGStartupWait(START_LIMIT)
          .setServerConfig("fsync", "off")
          .setServerConfig("max_connections", "100")
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return server.getPort();
  }

  /** Makes an empty database and returns its URL. */
  public String newDatabase() {
    String name = "test_" + DATABASES.incrementAndGet();
    execute(url("postgres"), "CREATE DATABASE " + name);
    return url(name);
  }

  public String url(String database) {
    return server.getJdbcUrl("postgres", database);
  }

  /** Runs a statement on a connection of its own. */
  public static void execute(String url, String sql) {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Breaks all connections to a database, as a restart of the server does. */
  public void breakConnections(String database) {
    execute(
        url("postgres"),
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '"
            + database
            + "'");
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Started by the first test that asks; the server's own hook stops it with the JVM. */
  private static final class Shared {
    static final TestPostgres SERVER =
        new TestPostgres(TestPostgres.start(EmbeddedPostgres.builder()));
  }
}
