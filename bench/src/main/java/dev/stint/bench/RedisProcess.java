package dev.stint.bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** A Redis: the machine's own, or the one that embedded-redis brings from Maven Central. */
final class RedisProcess implements AutoCloseable {
  private static final Duration START_WITHIN = Duration.ofSeconds(30);
  static final String DURABILITY = "appendonly=yes, appendfsync=always";

  private final TemporaryFolder folder;
  private final OtherProgram program;
  private final int port;

  private RedisProcess(TemporaryFolder folder, OtherProgram program, int port) {
    this.folder = folder;
    this.program = program;
    this.port = port;
  }

  /** One that writes each command to disk before it answers. */
  static RedisProcess startDurable(PeerCache cache) throws RunFailedException {
    return start(cache, List.of("--appendonly", "yes", "--appendfsync", "always"));
  }

  /** One that writes nothing to disk. */
  static RedisProcess startInMemory(PeerCache cache) throws RunFailedException {
    return start(cache, List.of("--appendonly", "no"));
  }

  private static RedisProcess start(PeerCache cache, List<String> persistence)
      throws RunFailedException {
    Path server = program(cache);
    int port = Machine.freePort();
    TemporaryFolder folder = TemporaryFolder.make();
    try {
      List<String> command = new ArrayList<>(List.of(server.toString(), "--save", ""));
      command.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1"));
      command.addAll(List.of("--dir", folder.path().toString()));
      command.addAll(persistence);
      OtherProgram program = OtherProgram.start("redis", folder.path(), command);
      program.await(() -> Machine.listens(port), START_WITHIN);
      return new RedisProcess(folder, program, port);
    } catch (RunFailedException e) {
      folder.close();
      throw e;
    }
  }

  private static Path program(PeerCache cache) throws RunFailedException {
    Path ownOne = Machine.program("redis-server").orElse(null);
    if (ownOne != null) {
      return ownOne;
    }
    Path server = cache.folder().resolve("redis-server");
    if (Files.isExecutable(server)) {
      return server;
    }
    Path jar = cache.jar("com.github.codemonstur", "embedded-redis", "1.4.4", "");
    String kind = Machine.kind().replace("x64", "amd64");
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      ZipEntry entry =
          zip.stream()
              .filter(each -> each.getName().matches("redis-server-.*" + kind))
              .findFirst()
              .map(ZipEntry.class::cast)
              .orElseThrow(() -> new RunFailedException("embedded-redis has none for " + kind));
      try (InputStream in = zip.getInputStream(entry)) {
        Files.copy(in, server, StandardCopyOption.REPLACE_EXISTING);
      }
      if (!server.toFile().setExecutable(true)) {
        throw new RunFailedException("cannot make %s executable".formatted(server));
      }
      return server;
    } catch (IOException e) {
      throw new RunFailedException("cannot unpack Redis: " + e.getMessage(), e);
    }
  }

  int port() {
    return port;
  }

  @Override
  public void close() {
    program.close();
    folder.close();
  }
}
