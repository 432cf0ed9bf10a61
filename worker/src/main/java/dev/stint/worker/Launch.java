package dev.stint.worker;

import java.io.File;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts a job's command: itself, without a shell. */
final class Launch {
  private static final Logger log = LoggerFactory.getLogger(Launch.class);

  /**
   * The worker's own secrets are none of its jobs' business, nor are those of a server that is
   * started from the same file of settings. The name of a database may hold its password.
   */
  private static final Set<String> SECRETS =
      Set.of(
          "STINT_API_TOKEN",
          "HDCF_API_TOKEN",
          "STINT_TOKEN_FILE",
          "HDCF_TOKEN_FILE",
          "STINT_WORKER_NONCE",
          "HDCF_WORKER_NONCE",
          "STINT_REDIS",
          "STINT_DB",
          "STINT_DB_PATH",
          "HDCF_DB_PATH",
          "STINT_JWT_SECRET",
          "STINT_JWT_SECRET_FILE",
          "STINT_PREVIOUS_JWT_SECRET",
          "STINT_DISPATCH_SECRET",
          "STINT_DISPATCH_SECRET_FILE",
          "STINT_TLS_KEY");

  /**
   * Puts a job into a session of its own, in the same process: the terminal's Ctrl-C, which only
   * asks the worker to drain, would end all its jobs otherwise.
   */
  private static final Optional<Path> SETSID = onPath("setsid");

  /** What the JVM gives a command its words in; a character that is not in it becomes a "?". */
  private static final Charset WORDS =
      Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"), Charset.defaultCharset());

  /**
   * What a command, its arguments or its folder are to blame for, by numbers that all Unixes share:
   * not there, too long, no program, not permitted, no folder.
   */
  private static final Pattern OWN_FAULT = Pattern.compile("Exec failed, error: (2|7|8|13|20)\\b");

  private Launch() {}

  /**
   * Why a command cannot be started, here or elsewhere, in words for who submitted it. What the
   * machine is to blame for, such as that it has no room for another process, is an {@link
   * IOException}.
   */
  static final class LaunchException extends Exception {
    LaunchException(String message) {
      super(message);
    }
  }

  /** With nothing to read on stdin, and what it prints in files. */
  static Process start(Assignment job, LogFiles.Target stdout, LogFiles.Target stderr)
      throws LaunchException, IOException {
    List<String> command = new ArrayList<>(List.of(job.command()));
    command.addAll(job.args());
    ProcessBuilder builder =
        prepared(command, folder(job), job.mark())
            .redirectOutput(stdout.temporary().toFile())
            .redirectError(stderr.temporary().toFile());
    builder.environment().put("STINT_ATTEMPT", Long.toString(job.attempt()));
    Process process = start(builder);
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      log.debug("closing what job {} could read: {}", job.mark(), e.toString());
    }
    return process;
  }

  /** A command that can be started, with the mark of its job and without the worker's secrets. */
  static ProcessBuilder prepared(List<String> command, Path folder, Mark mark)
      throws LaunchException {
    requireExpressible("command", command.getFirst());
    for (String argument : command.subList(1, command.size())) {
      requireExpressible("args", argument);
    }
    requireCommand(command.getFirst(), folder);
    List<String> words = new ArrayList<>();
    SETSID.ifPresent(setsid -> words.addAll(List.of(setsid.toString(), "--")));
    words.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(words).directory(folder.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeAll(SECRETS);
    mark.putInto(environment);
    return builder;
  }

  static Process start(ProcessBuilder builder) throws LaunchException, IOException {
    try {
      return builder.start();
    } catch (IllegalArgumentException e) {
      throw new LaunchException("cannot start it: " + e.getMessage());
    } catch (IOException e) {
      String problem = String.valueOf(e.getMessage());
      if (OWN_FAULT.matcher(problem).find()) {
        throw new LaunchException("cannot start it: " + problem.strip());
      }
      throw e;
    }
  }

  /** What is in the way, without the page of advice that the JDK adds. */
  static String words(IOException e) {
    return e.toString().lines().findFirst().orElse("");
  }

  private static Path folder(Assignment job) throws LaunchException {
    String name = Objects.requireNonNullElse(job.workingDir(), "");
    requireExpressible("working_dir", name);
    try {
      Path folder = Path.of(name).toAbsolutePath();
      if (Files.isDirectory(folder)) {
        return folder;
      }
    } catch (InvalidPathException e) {
      throw new LaunchException("working_dir is no path: " + e.getReason());
    }
    throw new LaunchException("working_dir is no folder on this machine: " + name);
  }

  private static void requireExpressible(String field, String text) throws LaunchException {
    if (text.indexOf('\0') >= 0) {
      throw new LaunchException(field + ": no command can be given the character NUL");
    }
    if (!WORDS.newEncoder().canEncode(text)) {
      throw new LaunchException(
          "%s: the worker's locale (%s) lacks a character in it; start it with LC_ALL=C.UTF-8"
              .formatted(field, WORDS));
    }
  }

  private static void requireCommand(String command, Path folder) throws LaunchException {
    try {
      boolean isPath = command.contains("/");
      if (isPath ? isProgram(folder.resolve(command)) : onPath(command).isPresent()) {
        return;
      } else if (isPath && Files.exists(folder.resolve(command))) {
        throw new LaunchException("command is no program that the worker may run: " + command);
      }
    } catch (InvalidPathException e) {
      log.debug("no file can be called {}", command);
    }
    throw new LaunchException("command not found: " + command);
  }

  private static Optional<Path> onPath(String command) {
    String path = Objects.requireNonNullElse(System.getenv("PATH"), "/usr/bin:/bin");
    return command.isEmpty()
        ? Optional.empty()
        : Stream.of(path.split(File.pathSeparator, -1))
            .map(folder -> Path.of(folder, command))
            .filter(Launch::isProgram)
            .findFirst();
  }

  private static boolean isProgram(Path file) {
    return Files.isRegularFile(file) && Files.isExecutable(file);
  }
}
