package dev.stint.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A PostgreSQL of the machine's own, on a free port with a fresh cluster, with its settings as they
 * come: durable. Gone with its data once it is closed.
 */
final class PostgresProcess implements AutoCloseable {
  private static final Duration START_WITHIN = Duration.ofSeconds(60);

  private final TemporaryFolder folder;
  private final OtherProgram program;
  private final int port;
  private int databases;

  private PostgresProcess(TemporaryFolder folder, OtherProgram program, int port) {
    this.folder = folder;
    this.program = program;
    this.port = port;
  }

  static PostgresProcess start() throws RunFailedException {
    Path bin =
        Machine.postgres()
            .orElseThrow(() ->
                new RunFailedException(
                    "there is no PostgreSQL here; install one (Debian: apt-get install"
                        + " postgresql)"));
    TemporaryFolder folder = TemporaryFolder.make();
    try {
      return start(bin, folder);
    } catch (RunFailedException | RuntimeException e) {
      folder.close();
      throw e;
    }
  }

  private static PostgresProcess start(Path bin, TemporaryFolder folder) throws RunFailedException {
    Path data = folder.path().resolve("data");
    giveAway(folder.path());
    List<String> init = new ArrayList<>(Machine.asNobody());
    init.addAll(List.of(bin.resolve("initdb").toString(), "-D", data.toString()));
    init.addAll(List.of("-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"));
    OtherProgram.run("initdb", folder.path(), init, Map.of(), START_WITHIN);
    int port = Machine.freePort();
    List<String> command = new ArrayList<>(Machine.asNobody());
    command.addAll(List.of(bin.resolve("postgres").toString(), "-D", data.toString()));
    command.addAll(List.of("-h", "127.0.0.1", "-p", Integer.toString(port)));
    command.addAll(List.of("-c", "unix_socket_directories=", "-c", "max_connections=300"));
    OtherProgram program = OtherProgram.start("postgres", folder.path(), command);
    PostgresProcess postgres = new PostgresProcess(folder, program, port);
    program.await(postgres::answers, START_WITHIN);
    return postgres;
  }

  /** To whoever the server will be. */
  private static void giveAway(Path folder) throws RunFailedException {
    if (Machine.asNobody().isEmpty()) {
      return;
    }
    try {
      Files.setAttribute(folder, "unix:uid", 65534);
    } catch (IOException e) {
      throw new RunFailedException("cannot give away %s: %s".formatted(folder, e), e);
    }
  }

  private boolean answers() {
    try (Connection connection = DriverManager.getConnection(jdbcUrl("postgres"))) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  /** Makes an empty database and returns its name. */
  String newDatabase() throws RunFailedException {
    String name = "bench_" + ++databases;
    try (Connection connection = DriverManager.getConnection(jdbcUrl("postgres"));
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
      return name;
    } catch (SQLException e) {
      throw new RunFailedException("cannot make a database: " + e.getMessage(), e);
    }
  }

  /** Takes all databases away, so that nobody later works beside what is still done for them. */
  void dropDatabases() throws RunFailedException {
    try (Connection connection = DriverManager.getConnection(jdbcUrl("postgres"));
        Statement statement = connection.createStatement()) {
      for (int i = 1; i <= databases; i++) {
        statement.execute("DROP DATABASE IF EXISTS bench_%d WITH (FORCE)".formatted(i));
      }
      statement.execute("CHECKPOINT");
    } catch (SQLException e) {
      throw new RunFailedException("cannot drop a database: " + e.getMessage(), e);
    }
  }

  String jdbcUrl(String database) {
    return "jdbc:postgresql://127.0.0.1:%d/%s?user=postgres".formatted(port, database);
  }

  /** As other programs write it. */
  String url(String database) {
    return "postgres://postgres@127.0.0.1:%d/%s".formatted(port, database);
  }

  ProcessHandle handle() {
    return program.handle();
  }

  @Override
  public void close() {
    program.close();
    folder.close();
  }
}
