package dev.stint.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What there is on this machine. */
final class Machine {
  private static final Path DEBIAN_POSTGRES = Path.of("/usr/lib/postgresql");

  private Machine() {}

  /** A port of the loopback interface that nobody uses now. */
  static int freePort() throws RunFailedException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new RunFailedException("there is no free port: " + e.getMessage(), e);
    }
  }

  /** Whether somebody listens there. */
  static boolean listens(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  /** A program on the PATH. */
  static Optional<Path> program(String name) {
    String path = System.getenv("PATH") == null ? "" : System.getenv("PATH");
    return Arrays.stream(path.split(":"))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** The folder with {@code initdb} and {@code postgres} of the newest PostgreSQL there is. */
  static Optional<Path> postgres() {
    try (Stream<Path> versions =
        Files.isDirectory(DEBIAN_POSTGRES) ? Files.list(DEBIAN_POSTGRES) : Stream.empty()) {
      Optional<Path> debian =
          versions
              .filter(version -> Files.isExecutable(version.resolve("bin/initdb")))
              .max(Comparator.comparingInt(Machine::number))
              .map(version -> version.resolve("bin"));
      return debian.or(() -> program("initdb").map(Machine::folderOf));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The folder is named for the version. */
  private static int number(Path version) {
    String digits = version.toString().replaceAll(".*/(\\d*)[^/]*$", "$1");
    return digits.isEmpty() ? 0 : Integer.parseInt(digits);
  }

  private static Path folderOf(Path program) {
    try {
      Path folder = program.toRealPath().getParent();
      return folder == null ? program : folder;
    } catch (IOException e) {
      return program;
    }
  }

  /** Such as linux-x64: how packages for this kind of machine are named. */
  static String kind() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String processor = System.getProperty("os.arch");
    return (system.contains("mac") ? "darwin" : "linux")
        + (processor.equals("aarch64") ? "-arm64" : "-x64");
  }

  /** PostgreSQL refuses to run as root: the words before a command that has it run as nobody. */
  static List<String> asNobody() throws RunFailedException {
    if (!System.getProperty("user.name").equals("root")) {
      return List.of();
    }
    if (program("setpriv").isEmpty()) {
      throw new RunFailedException(
          "PostgreSQL does not run as root, and there is no setpriv (util-linux) to be another");
    }
    return List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
  }
}
