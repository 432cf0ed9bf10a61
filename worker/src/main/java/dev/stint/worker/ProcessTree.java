package dev.stint.worker;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All processes of an attempt at a job, or of several, which then end together.
 *
 * <p>Children of children belong to it as long as their parents live. On Linux so do those that
 * were left by their parents: they still are in the first process's session, or, if they made one
 * of their own, carry the job's mark in their environment. Only who does both, leaving the session
 * and wiping the environment, gets away, and only if its parent ended before anyone looked.
 */
final class ProcessTree {
  private static final Logger log = LoggerFactory.getLogger(ProcessTree.class);
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final Duration LONGEST_KILL = Duration.ofSeconds(10);

  /**
   * An attempt at a job.
   *
   * @param mark that its processes carry
   * @param root the first of them, or null if it is not known
   */
  record Attempt(Mark mark, @Nullable ProcessHandle root) {}

  private final List<Attempt> attempts;
  private final Set<ProcessHandle> known = new HashSet<>();

  ProcessTree(Mark mark, @Nullable ProcessHandle root) {
    this(List.of(new Attempt(mark, root)));
  }

  ProcessTree(List<Attempt> attempts) {
    this.attempts = List.copyOf(attempts);
    attempts.stream().flatMap(attempt -> Stream.ofNullable(attempt.root())).forEach(known::add);
  }

  private List<Mark> marks() {
    return attempts.stream().map(Attempt::mark).toList();
  }

  /**
   * Asks all to end, and after {@code grace} ends those that are still there.
   *
   * @return how many there were
   */
  int end(Duration grace) throws InterruptedException {
    Set<ProcessHandle> alive = alive();
    int found = alive.size();
    if (found == 0) {
      return 0;
    }
    if (grace.isPositive()) {
      alive.forEach(ProcessHandle::destroy);
      alive = awaitEnd(grace, false);
    }
    if (!alive.isEmpty()) {
      alive = awaitEnd(LONGEST_KILL, true);
    }
    if (!alive.isEmpty()) {
      log.error("cannot end these processes of jobs {}: {}", marks(), pids(alive));
    }
    return found;
  }

  private Set<ProcessHandle> awaitEnd(Duration longest, boolean isKill)
      throws InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    Set<ProcessHandle> alive = alive();
    while (!alive.isEmpty() && System.nanoTime() < end) {
      if (isKill) {
        alive.forEach(ProcessHandle::destroyForcibly);
      }
      Thread.sleep(LOOK);
      alive = alive();
    }
    return alive;
  }

  private Set<ProcessHandle> alive() {
    if (ProcessTable.IS_THERE) {
      findInTable();
    } else {
      List.copyOf(known).forEach(process -> process.descendants().forEach(known::add));
      known.removeIf(process -> !process.isAlive());
    }
    return Set.copyOf(known);
  }

  private void findInTable() {
    List<ProcessTable.Row> rows = ProcessTable.rows();
    Set<Long> living = rows.stream().map(ProcessTable.Row::pid).collect(Collectors.toSet());
    known.removeIf(process -> !process.isAlive() || !living.contains(process.pid()));
    Set<Long> pids = pids(known);
    Set<Long> sessions = sessions(living);
    List<Mark> marks = marks();
    for (ProcessTable.Row row : rows) {
      if (sessions.contains(row.session()) || row.carriesOneOf(marks)) {
        pids.add(row.pid());
      }
    }
    pids.remove(ProcessHandle.current().pid());
    int before;
    do {
      before = pids.size();
      rows.stream().filter(row -> pids.contains(row.parent())).forEach(row -> pids.add(row.pid()));
    } while (pids.size() > before);
    pids.stream().map(ProcessHandle::of).flatMap(Optional::stream).forEach(known::add);
  }

  /** Those of first processes, which outlive them, unless the number now is another process's. */
  private Set<Long> sessions(Set<Long> living) {
    return attempts.stream()
        .flatMap(attempt -> Stream.ofNullable(attempt.root()))
        .filter(root -> root.isAlive() || !living.contains(root.pid()))
        .map(ProcessHandle::pid)
        .collect(Collectors.toSet());
  }

  private static Set<Long> pids(Set<ProcessHandle> processes) {
    return processes.stream()
        .map(ProcessHandle::pid)
        .collect(Collectors.toCollection(HashSet::new));
  }
}
