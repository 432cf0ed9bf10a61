package dev.stint.redis;

import dev.stint.engine.Command;
import dev.stint.engine.Job;
import dev.stint.engine.Lease;
import dev.stint.engine.Proof;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A message that a worker has, what is known of its job, and what follows from what the worker
 * writes. Nothing in Redis tells which worker wrote something: if an earlier worker of the job was
 * given up and may still be at it, an end counts only once the holder has acknowledged its message.
 */
final class NativeJob {
  /** A worker writes the hash, then tells of the end: so long it has for the second. */
  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** And for the acknowledgement that follows. */
  private static final long ACKNOWLEDGE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long LONGEST_BEAT_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Before Redis 7.2 its clock goes on while a script runs. */
  private static final long LEAST_CHANGE_MS = 50;

  /** What is to be done about a job. */
  enum Step {
    NOTHING,
    /** Its worker has ended it. */
    SETTLE,
    /** Its worker has acknowledged the message without a result. */
    ABANDON,
    /** Somebody has ended it who does not hold it. */
    PUT_RIGHT
  }

  private final NativeMessage message;
  private @Nullable Lease lease;
  private String consumer = NativeMessage.SOMEBODY;
  private boolean isWatched;
  private boolean acknowledged;
  private boolean messageIsLost;
  private boolean shared;
  private StreamId cursor;
  private NativeSight sight = NativeSight.NOTHING;
  private NativeSight.@Nullable Said end;
  private @Nullable NativeSight putRight;
  private long overSince;
  private long activeAt;
  private boolean alive;
  private long beatenAt = System.nanoTime() - LONGEST_BEAT_NANOS;

  NativeJob(NativeMessage message) {
    this.message = message;
    this.cursor = message.before();
  }

  NativeMessage message() {
    return message;
  }

  /** Takes in who has the message now, as the group says. */
  void given(NativeReader.@Nullable Pending pending) {
    isWatched = true;
    acknowledged = pending == null;
    if (pending != null) {
      consumer = pending.consumer();
      alive |= activeAt != 0 && pending.activeAtMs() - activeAt > LEAST_CHANGE_MS;
      activeAt = pending.activeAtMs();
    }
  }

  /** Whether the engine has to be told who has it. */
  boolean isUndelivered() {
    return isWatched && (lease == null || (!acknowledged && !consumer.equals(lease.workerId())));
  }

  Command.Deliver delivery(long leaseMs) {
    return new Command.Deliver(
        message.jobId(), message.enqueueId(), message.id(), consumer, leaseMs, 0);
  }

  /**
   * The engine knows who has it.
   *
   * @param isShared somebody else may still write about it
   */
  void held(Lease newLease, boolean isShared) {
    lease = newLease;
    shared |= isShared;
  }

  boolean isHeld() {
    return lease != null;
  }

  boolean isHeldIn(Job job) {
    return lease != null && lease.isOf(job);
  }

  boolean isAcknowledged() {
    return acknowledged;
  }

  /** That nobody has the message says nothing: it is not there any more. */
  void messageIsLost() {
    messageIsLost = true;
  }

  /** Where to read on in its events. */
  StreamId cursor() {
    return cursor;
  }

  /** What comes up to here has been taken over. */
  void knownUpTo(StreamId place) {
    cursor = place.compareTo(cursor) > 0 ? place : cursor;
  }

  /** Takes in what is written. */
  void seen(NativeSight newSight, long nowNanos) {
    boolean isFirst = sight.status().isEmpty();
    alive |= !isFirst && !newSight.signature().equals(sight.signature());
    sight = newSight;
    NativeSight.Said newEnd = NativeSight.end(sight.foreign());
    end = newEnd == null ? end : newEnd;
    if (!sight.isOver() && end == null) {
      overSince = 0;
    } else if (overSince == 0) {
      overSince = nowNanos;
    }
  }

  Step next(long nowNanos) {
    if (sight.hasMore()) {
      return Step.NOTHING;
    }
    if (acknowledged && !messageIsLost) {
      return hasEnded() ? Step.SETTLE : Step.ABANDON;
    }
    if (overSince == 0) {
      return Step.NOTHING;
    }
    if (shared) {
      return nowNanos - overSince >= ACKNOWLEDGE_NANOS ? Step.PUT_RIGHT : Step.NOTHING;
    }
    return end != null || nowNanos - overSince >= END_NANOS ? Step.SETTLE : Step.NOTHING;
  }

  /** Whether anybody has said how it ended. */
  boolean hasEnded() {
    return overSince != 0 || putRight != null;
  }

  /** What the worker told its readers and the engine does not know yet. */
  List<Command.Emit.Saying> sayings() {
    return NativeReports.sayings(sight.foreign());
  }

  /** Whether a sign of life was seen that the lease is to be extended for. */
  boolean wantsBeat(long nowNanos) {
    return alive && lease != null && nowNanos - beatenAt >= beatNanos(lease);
  }

  private static long beatNanos(Lease lease) {
    return Math.min(LONGEST_BEAT_NANOS, TimeUnit.MILLISECONDS.toNanos(lease.ttlMs()) / 10);
  }

  /** Whether the engine has to be told anything. */
  boolean hasNews(long nowNanos) {
    return next(nowNanos) != Step.NOTHING || wantsBeat(nowNanos) || !sayings().isEmpty();
  }

  /** The engine knows all that was seen. */
  void told(long nowNanos, boolean wasBeat) {
    cursor = sight.last(cursor);
    if (wasBeat) {
      alive = false;
      beatenAt = nowNanos;
    }
  }

  /** The report that ends it. */
  NativeSight ending() {
    return sight.isOver() || end != null || putRight == null ? sight : putRight;
  }

  NativeSight.@Nullable Said end() {
    return end;
  }

  NativeSight sight() {
    return sight;
  }

  /** What was said of an end was taken back; if it was the holder after all, it still counts. */
  void wasPutRight() {
    putRight = sight.isOver() ? sight : putRight;
    end = null;
    overSince = 0;
  }

  Proof proof() {
    if (lease == null) {
      return new Proof(consumer, null, null, null, null);
    }
    return new Proof(lease.workerId(), lease.attemptId(), lease.token(), null, null);
  }
}
