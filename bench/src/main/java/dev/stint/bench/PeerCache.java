package dev.stint.bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Where programs of others are kept between runs: a folder in the user's cache. They are fetched by
 * their package names with the machine's own Maven and npm, from wherever those fetch.
 */
final class PeerCache {
  private static final Duration FETCH_WITHIN = Duration.ofMinutes(10);
  private static final String COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";

  private final Path folder;

  PeerCache(Path folder) {
    this.folder = folder;
  }

  /** Of this user. */
  static PeerCache ofUser() {
    String given = System.getenv("XDG_CACHE_HOME");
    Path caches =
        given == null || given.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".cache")
            : Path.of(given);
    return new PeerCache(caches.resolve("stint-bench"));
  }

  /** The jar of a Maven artifact; {@code classifier} may be empty. */
  Path jar(String group, String artifact, String version, String classifier)
      throws RunFailedException {
    String suffix = classifier.isEmpty() ? "" : "-" + classifier;
    Path jars = made(folder.resolve("jars"));
    Path jar = jars.resolve("%s-%s%s.jar".formatted(artifact, version, suffix));
    if (Files.exists(jar)) {
      return jar;
    }
    Path mvn =
        Machine.program("mvn")
            .orElseThrow(
                () -> new RunFailedException("Maven is missing (Debian: apt-get install maven)"));
    String coordinates =
        String.join(":", group, artifact, version, "jar")
            + (classifier.isEmpty() ? "" : ":" + classifier);
    List<String> command =
        List.of(
            mvn.toString(),
            "-B",
            "-q",
            COPY,
            "-Dartifact=" + coordinates,
            "-DoutputDirectory=" + jars.resolve("fetched"));
    OtherProgram.run("mvn", jars, command, Map.of(), FETCH_WITHIN);
    try {
      Files.move(jars.resolve("fetched").resolve(jar.getFileName()), jar);
      return jar;
    } catch (IOException e) {
      throw new RunFailedException("Maven did not bring %s: %s".formatted(coordinates, e), e);
    }
  }

  /** Whether these npm packages are there, so that {@link #modules} needs no network. */
  boolean hasModules(Map<String, String> versions) {
    Path modules = folder.resolve("npm");
    try {
      return Files.exists(modules.resolve("node_modules/.package-lock.json"))
          && Files.readString(modules.resolve("package.json")).equals(manifest(versions));
    } catch (IOException e) {
      return false;
    }
  }

  /** A folder with these npm packages in their versions. */
  Path modules(Map<String, String> versions) throws RunFailedException {
    Path modules = made(folder.resolve("npm"));
    if (hasModules(versions)) {
      return modules;
    }
    Path npm =
        Machine.program("npm")
            .orElseThrow(() ->
                new RunFailedException("npm is missing (Debian: apt-get install nodejs npm)"));
    try {
      TemporaryFolder.delete(made(modules.resolve("node_modules")));
      Files.writeString(modules.resolve("package.json"), manifest(versions));
      // Nothing that comes with a package is run here.
      List<String> install =
          List.of(npm.toString(), "install", "--no-audit", "--no-fund", "--ignore-scripts");
      OtherProgram.run("npm", modules, install, Map.of(), FETCH_WITHIN);
      return modules;
    } catch (IOException e) {
      throw new RunFailedException("cannot write to %s: %s".formatted(modules, e), e);
    }
  }

  private static String manifest(Map<String, String> versions) {
    return versions.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(each -> "\"%s\": \"%s\"".formatted(each.getKey(), each.getValue()))
        .collect(
            Collectors.joining(
                ", ", "{\"private\": true, \"type\": \"module\", \"dependencies\": {", "}}\n"));
  }

  /** Copies a driver of ours to where it finds its packages. */
  static Path driver(Path modules, String name) throws RunFailedException {
    try (InputStream source = PeerCache.class.getResourceAsStream("peers/" + name)) {
      if (source == null) {
        throw new IllegalArgumentException("no driver " + name);
      }
      Path driver = modules.resolve(name);
      Files.copy(source, driver, StandardCopyOption.REPLACE_EXISTING);
      return driver;
    } catch (IOException e) {
      throw new RunFailedException("cannot write to %s: %s".formatted(modules, e), e);
    }
  }

  Path folder() throws RunFailedException {
    return made(folder);
  }

  private static Path made(Path folder) throws RunFailedException {
    try {
      return Files.createDirectories(folder);
    } catch (IOException e) {
      throw new RunFailedException("cannot make %s: %s".formatted(folder, e), e);
    }
  }
}
