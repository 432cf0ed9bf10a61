package dev.stint.worker;

import dev.stint.client.Json;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the next start has to know, in one file: the worker's name, what it runs, and the outbox of
 * reports that the control plane does not have yet.
 *
 * <p>Memory is the master while the worker runs. A file that cannot be written is tried again with
 * the next change or {@link #isSaved}, and meanwhile the worker takes no new jobs.
 *
 * <p>A disk may hang, and the heartbeat must not wait for it. So there are two locks: this object's
 * for what is in memory, which is never held while the disk is at work, and one for the files,
 * which is always taken first. What is written is looked at under both, so that no older state
 * comes after a newer one.
 */
final class State implements Closeable {
  private static final Logger log = LoggerFactory.getLogger(State.class);

  /** More heartbeats than a worker sends before it is started again. */
  private static final long SEQ_STEP = 10_000_000;

  private final Path file;
  private final Object disk = new Object();
  private final Set<Mark> running = new LinkedHashSet<>();
  private final Map<String, Report> reports = new LinkedHashMap<>();
  private @Nullable String workerId;
  private long seq = System.currentTimeMillis();
  private long changes;

  // What follows is guarded by the lock for the files.
  private long savedChanges = -1;
  private @Nullable FileChannel lock;
  private boolean isTold;

  State(Path file) {
    this.file = file;
  }

  /**
   * Locks the file and reads it, if that has not been done.
   *
   * @return whether it has now been done for the first time
   * @throws StateInUseException if another worker has it
   */
  boolean open() {
    synchronized (disk) {
      if (lock != null) {
        return false;
      }
      FileChannel channel = null;
      try {
        Files.createDirectories(file.resolveSibling(""));
        channel =
            FileChannel.open(
                file.resolveSibling(file.getFileName() + ".lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        if (!isMine(channel)) {
          channel.close();
          throw new StateInUseException(file);
        }
        read();
        lock = channel;
      } catch (IOException e) {
        tellOnce(e);
        closeQuietly(channel);
        return false;
      }
      save();
      return true;
    }
  }

  private static boolean isMine(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  private void read() throws IOException {
    try {
      take(Json.read(Files.readString(file)));
    } catch (NoSuchFileException e) {
      log.debug("there is no {} yet", file);
    } catch (IllegalArgumentException | java.nio.charset.CharacterCodingException e) {
      Path broken = file.resolveSibling(file.getFileName() + ".broken");
      Files.move(file, broken, StandardCopyOption.REPLACE_EXISTING);
      log.warn("cannot make sense of {}, so it begins anew; it is put aside as {}", file, broken);
    }
  }

  private synchronized void take(@Nullable Object json) {
    if (!(json instanceof Map<?, ?> state)
        || !(state.get("worker_id") instanceof String id)
        || !(state.get("seq") instanceof Long lastSeq)) {
      throw new IllegalArgumentException("no worker's state");
    }
    Set<Mark> formerRuns = new LinkedHashSet<>();
    for (Map<String, @Nullable Object> run : objects(state.get("running"))) {
      if (run.get("job_id") instanceof String jobId && run.get("fence") instanceof Long fence) {
        formerRuns.add(new Mark(jobId, fence));
      }
    }
    List<Report> formerReports = objects(state.get("results")).stream().map(Report::of).toList();
    running.addAll(formerRuns);
    formerReports.forEach(report -> reports.put(report.assignmentId(), report));
    workerId = id;
    seq = Math.max(seq, lastSeq + SEQ_STEP);
    changes++;
  }

  @SuppressWarnings("unchecked") // Json makes every object a map with strings for names
  private static List<Map<String, @Nullable Object>> objects(@Nullable Object json) {
    if (!(json instanceof List<?> list) || !list.stream().allMatch(Map.class::isInstance)) {
      throw new IllegalArgumentException("no list of objects");
    }
    return list.stream().map(object -> (Map<String, @Nullable Object>) object).toList();
  }

  /** The name that this worker had before, if it is known. */
  synchronized @Nullable String workerId() {
    return workerId;
  }

  void name(String id) {
    boolean isNew;
    synchronized (this) {
      isNew = !id.equals(workerId);
    }
    if (isNew) {
      change(() -> workerId = id);
    }
  }

  /** A number that only grows, also over restarts. */
  synchronized long nextSeq() {
    return ++seq;
  }

  /** What ran when the state was last written: after a start, what a killed worker left behind. */
  synchronized List<Mark> running() {
    return List.copyOf(running);
  }

  synchronized List<Report> reports() {
    return List.copyOf(reports.values());
  }

  /**
   * Notes a job that is about to be started.
   *
   * @return false if that could not be written down
   */
  boolean started(Mark mark) {
    return change(() -> running.add(mark));
  }

  /** Notes that nothing of a job runs any more, and what to report, if anything. */
  void ended(Mark mark, @Nullable Report report) {
    change(() -> {
      running.remove(mark);
      if (report != null) {
        reports.put(report.assignmentId(), report);
      }
    });
  }

  /** Notes that nothing of these jobs runs any more. */
  void ended(Collection<Mark> marks) {
    change(() -> marks.forEach(running::remove));
  }

  /** Forgets a report that the control plane has, or does not want. */
  void delivered(Report report) {
    change(() -> reports.remove(report.assignmentId()));
  }

  private boolean change(Runnable change) {
    synchronized (this) {
      change.run();
      changes++;
    }
    return save();
  }

  /** Whether all of it is on disk; what is not yet, is tried again. */
  boolean isSaved() {
    return save();
  }

  /** Writes what has changed, unless somebody else has done so meanwhile. */
  private boolean save() {
    synchronized (disk) {
      String text;
      long included;
      synchronized (this) {
        if (lock == null || workerId == null) {
          return false;
        }
        if (savedChanges == changes) {
          return true;
        }
        text = Json.write(toJson()) + "\n";
        included = changes;
      }
      try {
        Disk.replace(file, text);
        savedChanges = included;
        isTold = false;
        return true;
      } catch (IOException e) {
        tellOnce(e);
        return false;
      }
    }
  }

  private Map<String, @Nullable Object> toJson() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("worker_id", workerId);
    json.put("seq", seq);
    json.put(
        "running",
        running.stream()
            .map(mark -> Map.of("job_id", mark.jobId(), "fence", mark.fence()))
            .toList());
    json.put("results", reports.values().stream().map(Report::toJson).toList());
    return json;
  }

  private void tellOnce(IOException problem) {
    if (!isTold) {
      isTold = true;
      log.warn("cannot keep the state in {}, trying again: {}", file, problem.toString());
    }
  }

  private static void closeQuietly(@Nullable FileChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        log.debug("closing a lock file: {}", e.toString());
      }
    }
  }

  @Override
  public void close() {
    synchronized (disk) {
      closeQuietly(lock);
      lock = null;
    }
  }
}
