package dev.stint.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import redis.embedded.core.ExecutableProvider;

/**
 * A real Redis for tests, on a free port and without persistence; ends with the JVM at the latest.
 */
public final class TestRedis implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(30);
  private static final int TRIES = 5;
  private static final Map<Long, Process> RUNNING = new ConcurrentHashMap<>();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.values().forEach(Process::destroyForcibly)));
  }

  private final List<String> settings;
  private final int port;
  private Process process;

  private TestRedis(List<String> settings, int port, Process process) {
    this.settings = settings;
    this.port = port;
    this.process = process;
  }

  /**
   * Starts one on a free port of this machine.
   *
   * @param settings further ones, such as {@code "--requirepass", "x"}
   */
  public static TestRedis start(String... settings) {
    List<String> all = List.of(settings);
    for (int tries = 1; ; tries++) {
      int port = freePort();
      try {
        return new TestRedis(all, port, launch(all, port));
      } catch (IllegalStateException e) {
        if (tries == TRIES) {
          throw e;
        }
      }
    }
  }

  public int port() {
    return port;
  }

  public String url() {
    return "redis://127.0.0.1:" + port;
  }

  /** Ends it at once, as a power cut does; its data are gone. */
  public void kill() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    RUNNING.remove(process.pid());
  }

  /** Starts it again on the same port, empty. */
  public void restart() {
    kill();
    process = launch(settings, port);
  }

  /** Sends one command on a connection of its own, and gives the answer as it came. */
  public String command(String... words) {
    return command(port, words);
  }

  private static String command(int port, String... words) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout((int) START_LIMIT.toMillis());
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      out.writeBytes(("*" + words.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
      for (String word : words) {
        byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
        out.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(bytes);
        out.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
      }
      socket.getOutputStream().write(out.toByteArray());
      return line(new BufferedInputStream(socket.getInputStream()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int read = in.read(); read != '\n' && read >= 0; read = in.read()) {
      line.write(read);
    }
    return line.toString(StandardCharsets.UTF_8).strip();
  }

  private static Process launch(List<String> settings, int port) {
    List<String> command = new ArrayList<>();
    command.add(Program.FILE.getAbsolutePath());
    command.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1"));
    command.addAll(List.of("--save", "", "--appendonly", "no"));
    command.addAll(List.of("--dir", System.getProperty("java.io.tmpdir")));
    command.addAll(settings);
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      RUNNING.put(process.pid(), process);
      awaitAnswer(process, port);
      return process;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void awaitAnswer(Process process, int port) {
    long end = System.nanoTime() + START_LIMIT.toNanos();
    while (process.isAlive() && System.nanoTime() < end) {
      try {
        command(port, "PING");
        if (process.isAlive()) {
          return;
        }
      } catch (UncheckedIOException e) {
        pause();
      }
    }
    process.destroyForcibly();
    RUNNING.remove(process.pid());
    throw new IllegalStateException("Redis does not start on port " + port);
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    kill();
  }

  /** Unpacked once per JVM, unless {@code STINT_TEST_REDIS} names a program to be tested with. */
  private static final class Program {
    static final File FILE = unpack();

    private static File unpack() {
      String other = System.getenv("STINT_TEST_REDIS");
      if (other != null) {
        return new File(other);
      }
      try {
        Path folder = Files.createTempDirectory("stint-redis");
        // What is named last goes first, and a folder only once it is empty.
        folder.toFile().deleteOnExit();
        File program = ExecutableProvider.newJarResourceProvider(folder.toFile()).get();
        program.deleteOnExit();
        return program;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
