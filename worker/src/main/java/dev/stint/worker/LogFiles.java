package dev.stint.worker;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The folder with what jobs print. A file has its final name only once it is whole. */
final class LogFiles {
  private static final Logger log = LoggerFactory.getLogger(LogFiles.class);
  private static final long LEAST_FREE_BYTES = 16 << 20;
  private static final int TAIL_BYTES = 1_000;
  private static final int TAIL_LINES = 3;

  private final Path folder;
  private @Nullable String lastProblem;

  LogFiles(Path folder) {
    this.folder = folder;
  }

  /** Where one stream of a job goes. */
  record Target(Path path) {
    Path temporary() {
      return path.resolveSibling(path.getFileName() + ".tmp");
    }

    /** How much is in it so far. */
    long bytes() {
      return temporary().toFile().length();
    }

    void create() throws IOException {
      Files.write(temporary(), new byte[0]);
    }

    /**
     * Syncs it to disk and gives it its final name.
     *
     * @return its SHA-256
     */
    String keep() throws IOException {
      Disk.keep(temporary(), path);
      return sha256(path);
    }

    /** The last lines of what is in it so far, for a person to read. */
    String tail() {
      try (RandomAccessFile file = new RandomAccessFile(temporary().toFile(), "r")) {
        file.seek(Math.max(0, file.length() - TAIL_BYTES));
        byte[] bytes = new byte[(int) Math.min(TAIL_BYTES, file.length())];
        file.readFully(bytes);
        List<String> lines =
            new String(bytes, StandardCharsets.UTF_8)
                .lines()
                .map(line -> line.replaceAll("\\p{Cntrl}", " ").strip())
                .filter(line -> !line.isEmpty())
                .toList();
        return String.join(
            "\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
      } catch (IOException e) {
        return "";
      }
    }
  }

  Target stdout(Mark mark) {
    return new Target(folder.resolve(mark.fileName() + ".stdout.log"));
  }

  Target stderr(Mark mark) {
    return new Target(folder.resolve(mark.fileName() + ".stderr.log"));
  }

  /** Tries whether a job's output could be kept, and says in the log when that changes. */
  synchronized boolean isWritable() {
    String problem = problem();
    if (problem != null && lastProblem == null) {
      log.warn("takes no jobs until it can keep what they print: {}", problem);
    } else if (problem == null && lastProblem != null) {
      log.info("can write to {} again", folder);
    }
    lastProblem = problem;
    return problem == null;
  }

  private @Nullable String problem() {
    Path probe = folder.resolve(".probe");
    try {
      Files.createDirectories(folder);
      Files.write(probe, new byte[4096]);
      // Another worker that keeps its logs here may have been faster.
      Files.deleteIfExists(probe);
      long free = Files.getFileStore(folder).getUsableSpace();
      return free < LEAST_FREE_BYTES ? "only " + free + " bytes are free in " + folder : null;
    } catch (IOException e) {
      return "cannot write to " + folder + ": " + e;
    }
  }

  private static String sha256(Path file) throws IOException {
    try (DigestInputStream in = new DigestInputStream(Files.newInputStream(file), digest())) {
      in.transferTo(OutputStream.nullOutputStream());
      return HexFormat.of().formatHex(in.getMessageDigest().digest());
    }
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
