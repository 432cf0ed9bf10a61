package dev.stint.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Why a job is where it is: all that keeps it there, what counts most first. */
public record Explanation(Job job, List<Reason> reasons) {
  /** So many workers are named; more would not be read. */
  static final int MAX_NAMED = 20;

  /**
   * What is around a job.
   *
   * @param pause of its queue, or null
   * @param workers that were looked at
   * @param allWorkers whether these are all that are known
   * @param ahead how many like it are given out before it; at most {@code aheadLimit}
   * @param parked how many claims wait for a job like it on this control plane
   */
  public record Surroundings(
      Store.@Nullable Pause pause,
      List<Store.WorkerView> workers,
      boolean allWorkers,
      int ahead,
      int aheadLimit,
      int parked) {}

  /** What a worker would need to have for the job. */
  public record Lack(
      String workerId, boolean isThere, SortedSet<String> lacks, boolean noPayload) {}

  /** One thing that keeps a job where it is. */
  public sealed interface Reason {}

  /** Its time has not come. */
  public record NotBefore(long at) implements Reason {}

  public record QueuePaused(Store.Pause pause) implements Reason {}

  /** Not one of the workers that are known, there or not, could run it. */
  public record NoWorkerEver(Needs needs, List<Lack> lacks) implements Reason {}

  /**
   * No worker that is there could run it.
   *
   * @param away those that could, if they were there
   */
  public record NoWorkerMatches(Needs needs, List<Lack> lacks, List<String> away)
      implements Reason {}

  /** All that could run it have their hands full. */
  public record WorkersBusy(int count, List<String> workers) implements Reason {}

  /** These could run it, but are to finish what they have and take nothing more. */
  public record WorkersDraining(List<String> workers) implements Reason {}

  /** It waits for its next attempt. */
  public record Backoff(long until, int attempt, int maxAttempts, @Nullable String why)
      implements Reason {}

  /** Its last attempt was lost: it fails as soon as its worker is no longer waited for. */
  public record Exhausted(long until, @Nullable String why) implements Reason {}

  /** A worker has it; {@code acknowledged} is false while that worker has not said so. */
  public record Held(String workerId, long until, boolean acknowledged) implements Reason {}

  public record CancelRequested(Cancel cancel) implements Reason {}

  /** Others like it go first; {@code orMore}: only so many were counted. */
  public record BehindOthers(int ahead, boolean orMore) implements Reason {}

  /** No worker asks for it: this server takes it to where it belongs, as soon as it is taken. */
  public record Delivery(String target) implements Reason {}

  /** Nothing else keeps it: the next worker that can run it and asks gets it. */
  public record Claimable(int parked) implements Reason {}

  public record Finished(JobState state, @Nullable String why, long at) implements Reason {}

  /** Looks at a job and what is around it. */
  static Explanation of(Job job, Surroundings around, long now) {
    return new Explanation(
        job,
        switch (job.state()) {
          case COMPLETED, FAILED, ABORTED ->
              List.of(new Finished(job.state(), job.reason(), job.updatedAt()));
          case ASSIGNED, RUNNING -> held(job);
          case LOST, RETRYING -> waiting(job, around);
          case PENDING -> job.claimable() ? claimable(job, around, now) : early(job, around, now);
        });
  }

  private static List<Reason> held(Job job) {
    List<Reason> reasons = new ArrayList<>();
    if (job.cancel() != null) {
      reasons.add(new CancelRequested(job.cancel()));
    }
    Lease lease = job.lease();
    if (lease != null) {
      reasons.add(new Held(lease.workerId(), lease.until(), job.state() == JobState.RUNNING));
    }
    return reasons;
  }

  private static List<Reason> waiting(Job job, Surroundings around) {
    RetryPolicy retry = job.spec().retry();
    if (job.cancel() != null) {
      return List.of(new CancelRequested(job.cancel()));
    }
    if (!retry.allowsAnother(job.failures(), job.losses())) {
      return List.of(new Exhausted(job.readyAt(), job.reason()));
    }
    List<Reason> reasons = new ArrayList<>();
    reasons.add(backoff(job));
    addPause(reasons, around);
    return reasons;
  }

  private static Backoff backoff(Job job) {
    RetryPolicy retry = job.spec().retry();
    int next = retry.counted(job.failures(), job.losses()) + 1;
    return new Backoff(job.readyAt(), next, retry.maxAttempts(), job.reason());
  }

  private static List<Reason> early(Job job, Surroundings around, long now) {
    List<Reason> reasons = new ArrayList<>();
    boolean isGivenBack = job.reason() != null && job.readyAt() > job.spec().notBefore();
    reasons.add(isGivenBack ? backoff(job) : new NotBefore(job.readyAt()));
    addPause(reasons, around);
    String target = job.spec().needs().target();
    if (target != null) {
      reasons.add(new Delivery(target));
      return reasons;
    }
    boolean couldEver =
        around.workers.stream().anyMatch(view -> couldRun(view.worker(), job.spec().needs()));
    if (!couldEver && around.allWorkers) {
      reasons.add(new NoWorkerEver(job.spec().needs(), lacks(job.spec().needs(), around, now)));
    }
    return reasons;
  }

  private static List<Reason> claimable(Job job, Surroundings around, long now) {
    List<Reason> reasons = new ArrayList<>();
    addPause(reasons, around);
    Needs needs = job.spec().needs();
    if (needs.target() != null) {
      reasons.add(new Delivery(needs.target()));
      return reasons;
    }
    Crew crew = new Crew(needs, around, now);
    if (!crew.isThere()) {
      reasons.add(
          crew.away.isEmpty() && around.allWorkers
              ? new NoWorkerEver(needs, lacks(needs, around, now))
              : new NoWorkerMatches(needs, lacks(needs, around, now), first(crew.away)));
    }
    if (!crew.draining.isEmpty() && crew.free == 0) {
      reasons.add(new WorkersDraining(first(crew.draining)));
    }
    if (!crew.busy.isEmpty() && crew.free == 0) {
      reasons.add(new WorkersBusy(crew.busy.size(), first(crew.busy)));
    }
    if (around.pause == null && crew.mayBeFree() && around.parked == 0) {
      reasons.add(new Claimable(0));
    }
    if (around.ahead > 0) {
      reasons.add(new BehindOthers(around.ahead, around.ahead >= around.aheadLimit));
    }
    if (reasons.isEmpty()) {
      reasons.add(new Claimable(around.parked));
    }
    return reasons;
  }

  /** The workers that could run a job, by what keeps them from it. */
  private static final class Crew {
    final List<String> away = new ArrayList<>();
    final List<String> draining = new ArrayList<>();
    final List<String> busy = new ArrayList<>();
    int free;
    boolean isGuessed;

    Crew(Needs needs, Surroundings around, long now) {
      for (Store.WorkerView view : around.workers) {
        Worker worker = view.worker();
        if (!couldRun(worker, needs)) {
          continue;
        }
        if (!worker.isThere(now)) {
          away.add(worker.id());
        } else if (worker.draining()) {
          draining.add(worker.id());
        } else if (view.holds().size() >= worker.slots()) {
          busy.add(worker.id());
          isGuessed |= !worker.saysSlots();
        } else {
          free++;
        }
      }
    }

    boolean isThere() {
      return free + busy.size() + draining.size() > 0;
    }

    /** One that does not say how many it can run may have room, whatever it holds. */
    boolean mayBeFree() {
      return free > 0 || isGuessed;
    }
  }

  private static void addPause(List<Reason> reasons, Surroundings around) {
    if (around.pause != null) {
      reasons.add(new QueuePaused(around.pause));
    }
  }

  private static boolean couldRun(Worker worker, Needs needs) {
    return !worker.revoked() && worker.skills().satisfy(needs);
  }

  private static List<String> first(List<String> ids) {
    return ids.stream().limit(MAX_NAMED).toList();
  }

  /** What those lack that cannot run it, the ones that are there first. */
  private static List<Lack> lacks(Needs needs, Surroundings around, long now) {
    List<Lack> there = new ArrayList<>();
    List<Lack> away = new ArrayList<>();
    for (Store.WorkerView view : around.workers) {
      Worker worker = view.worker();
      if (worker.revoked() || worker.skills().satisfy(needs)) {
        continue;
      }
      SortedSet<String> missing = new TreeSet<>(needs.requirements());
      missing.removeAll(worker.skills().capabilities());
      boolean noPayload = worker.skills().commandsOnly() && !needs.command();
      boolean isThere = worker.isThere(now);
      (isThere ? there : away).add(new Lack(worker.id(), isThere, missing, noPayload));
    }
    there.addAll(away);
    return there.stream().limit(MAX_NAMED).toList();
  }
}
