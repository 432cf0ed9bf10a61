package dev.stint.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The file with what a job printed. A worker tells its name only when the job is over; before that
 * it is looked for in the folders where a worker of this machine would keep it.
 */
final class JobLog {
  static final long PAUSE_MS = 200;

  private static final int PAUSES_BETWEEN_CALLS = 5;
  private static final int CHUNK = 64 << 10;
  private static final String TEMPORARY = ".tmp";

  private final String prefix;
  private final String stream;
  private final List<Path> folders;

  /**
   * One job's.
   *
   * @param stream {@code stdout} or {@code stderr}
   */
  JobLog(String jobId, String stream, List<Path> folders) {
    this.prefix = jobId.replaceAll("[^A-Za-z0-9_-]", "_") + ".";
    this.stream = stream;
    this.folders = folders;
  }

  /** Tells whether a file is complete. */
  interface End {
    boolean isThere() throws IOException;
  }

  /**
   * What the attempt printed that ended the job, or that has it; of a job that waits, the newest.
   * Null if it is not on this machine, or not yet.
   */
  @Nullable InputStream open(Fields job) throws IOException {
    String told = told(job);
    if (!told.isEmpty()) {
      return openTold(told);
    }
    boolean isOfOne = JobStatus.isHeld(job) || JobStatus.isEnd(job);
    return isOfOne && job.has("fence")
        ? openNamed(prefix + job.number("fence") + "." + stream + ".log")
        : openNewest();
  }

  /** Where its worker said, or in these folders: they may have another name on this machine. */
  private @Nullable InputStream openTold(String told) throws IOException {
    try {
      Path path = Path.of(told);
      InputStream there = openIfThere(path);
      Path name = path.getFileName();
      return there == null && name != null && isMine(name) ? openNamed(name.toString()) : there;
    } catch (InvalidPathException e) {
      return null;
    }
  }

  /** First under the name that it has until it is whole: it may get its final one meanwhile. */
  private @Nullable InputStream openNamed(String name) throws IOException {
    for (Path folder : folders) {
      for (String one : List.of(name + TEMPORARY, name)) {
        InputStream there = openIfThere(folder.resolve(one));
        if (there != null) {
          return there;
        }
      }
    }
    return null;
  }

  private @Nullable InputStream openNewest() throws IOException {
    for (Path folder : folders) {
      Optional<Path> newest = newestIn(folder, this::isMine);
      if (newest.isPresent()) {
        InputStream there = openIfThere(newest.get());
        return there == null ? openNamed(whole(newest.get().getFileName().toString())) : there;
      }
    }
    return null;
  }

  private static @Nullable InputStream openIfThere(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      return null;
    }
    try {
      return Files.newInputStream(file);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private static Optional<Path> newestIn(Path folder, Predicate<Path> wanted) throws IOException {
    if (!Files.isDirectory(folder)) {
      return Optional.empty();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(wanted).max(Comparator.comparingLong(JobLog::changedAt));
    }
  }

  private boolean isMine(Path file) {
    String name = file.getFileName().toString();
    return name.startsWith(prefix) && whole(name).endsWith("." + stream + ".log");
  }

  private static String whole(String name) {
    return name.endsWith(TEMPORARY) ? name.substring(0, name.length() - TEMPORARY.length()) : name;
  }

  private static long changedAt(Path file) {
    return file.toFile().lastModified();
  }

  /** Empty before the job has ended: until then it would be that of a former attempt. */
  private String told(Fields job) {
    return JobStatus.isEnd(job) ? job.text("artifact_" + stream + "_path") : "";
  }

  /** What a person needs to know when there is no file. */
  String whyNot(Fields job) {
    String told = told(job);
    if (!told.isEmpty()) {
      return "its " + stream + " is not on this machine: " + Screen.line(told) + worker(job);
    }
    return JobStatus.isEnd(job) || job.has("worker_id")
        ? "there is no " + stream + " of it on this machine; say where with --log-dir" + worker(job)
        : "it is " + job.text("status") + " and has printed nothing yet; wait for it with --follow";
  }

  private static String worker(Fields job) {
    return job.has("worker_id") ? " (worker " + Screen.line(job.text("worker_id")) + ")" : "";
  }

  /** Copies what is in it, and what comes, until its end; it may get its final name meanwhile. */
  static void copy(InputStream in, PrintStream out, End end)
      throws IOException, InterruptedException {
    int pauses = 0;
    boolean isLast = false;
    while (true) {
      copyRest(in, out);
      if (isLast) {
        return;
      }
      if (pauses++ % PAUSES_BETWEEN_CALLS == 0) {
        isLast = end.isThere();
      }
      if (!isLast) {
        Thread.sleep(PAUSE_MS);
      }
    }
  }

  private static void copyRest(InputStream in, PrintStream out) throws IOException {
    byte[] chunk = new byte[CHUNK];
    for (int read = in.read(chunk); read > 0; read = in.read(chunk)) {
      out.write(chunk, 0, read);
      if (out.checkError()) {
        throw new OutputLostException();
      }
    }
  }
}
