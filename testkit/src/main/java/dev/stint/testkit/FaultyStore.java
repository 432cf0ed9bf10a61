package dev.stint.testkit;

import dev.stint.engine.Attempt;
import dev.stint.engine.Event;
import dev.stint.engine.Job;
import dev.stint.engine.Store;
import dev.stint.engine.StoreUnavailableException;
import dev.stint.engine.Worker;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A real store whose next transaction can be made to fail, or all of them to stand still. */
public final class FaultyStore implements Store {
  private final Store real;
  private final AtomicReference<Fault> next = new AtomicReference<>(Fault.NONE);
  private final Semaphore gate = new Semaphore(Integer.MAX_VALUE);
  private final Map<Place, AtomicInteger> errors = new EnumMap<>(Place.class);
  private volatile boolean hastensForEver;
  private volatile boolean hidesClaimable;

  /** What goes wrong. */
  public enum Fault {
    NONE,
    /** Everything is rolled back. */
    BEFORE_COMMIT,
    /** Everything is committed, but nobody is told. */
    AFTER_COMMIT,
    /** Everything is rolled back, for a reason that nobody has thought of. */
    UNEXPECTED
  }

  /** Where errors can be thrown. */
  public enum Place {
    TRANSACT,
    NOW,
    EVENTS,
    TALLY,
    ANNOUNCE_NEWS
  }

  public FaultyStore(Store real) {
    this.real = real;
    for (Place place : Place.values()) {
      errors.put(place, new AtomicInteger());
    }
  }

  public void failNext(Fault fault) {
    next.set(fault);
  }

  /** Lets so many calls end in an error, at each of these places. */
  public void throwErrors(int times, Place... places) {
    for (Place place : places) {
      errorsAt(place).set(times);
    }
  }

  /** How many of those errors have yet to be thrown. */
  public int errorsLeft() {
    return errors.values().stream().mapToInt(left -> Math.max(0, left.get())).sum();
  }

  private AtomicInteger errorsAt(Place place) {
    return Objects.requireNonNull(errors.get(place));
  }

  private void throwIfLeft(Place place) {
    AtomicInteger left = errorsAt(place);
    if (left.get() > 0 && left.getAndDecrement() > 0) {
      throw new OutOfMemoryError("drill");
    }
  }

  /** From now on there is always something more to be removed earlier. */
  void hastenForEver() {
    hastensForEver = true;
  }

  /** From now on who looks for what is claimable finds nothing, but for claims. */
  public void hideClaimable() {
    hidesClaimable = true;
  }

  /** Lets no transaction begin until {@link #goOn}. */
  public void standStill() {
    gate.drainPermits();
  }

  public void goOn() {
    gate.release(1_000_000);
  }

  @Override
  public <T> T transact(Function<Transaction, T> work) {
    gate.acquireUninterruptibly();
    throwIfLeft(Place.TRANSACT);
    Fault fault = next.getAndSet(Fault.NONE);
    T result =
        real.transact(transaction -> {
          boolean fails = fault == Fault.BEFORE_COMMIT || fault == Fault.UNEXPECTED;
          T done = work.apply(fails ? uncommitted(transaction) : transaction);
          if (fault == Fault.BEFORE_COMMIT) {
            throw unavailable();
          } else if (fault == Fault.UNEXPECTED) {
            throw new IllegalStateException("made to fail");
          }
          return done;
        });
    if (fault == Fault.AFTER_COMMIT) {
      throw unavailable();
    }
    return result;
  }

  /** The same transaction, which is not committed together with what it saves last. */
  private static Transaction uncommitted(Transaction transaction) {
    InvocationHandler handler =
        (_, method, arguments) -> {
          try {
            if (method.getName().equals("saveLast")) {
              transaction.save((Changes) arguments[0]);
              return null;
            }
            return method.invoke(transaction, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        };
    return (Transaction)
        Proxy.newProxyInstance(
            Transaction.class.getClassLoader(), new Class<?>[] {Transaction.class}, handler);
  }

  private static StoreUnavailableException unavailable() {
    return new StoreUnavailableException("made to fail", new IOException());
  }

  @Override
  public int writers() {
    return real.writers();
  }

  @Override
  public boolean isShared() {
    return real.isShared();
  }

  @Override
  public Optional<JobView> find(UUID jobId) {
    return real.find(jobId);
  }

  @Override
  public Map<UUID, Job> jobs(Collection<UUID> jobIds) {
    return real.jobs(jobIds);
  }

  @Override
  public List<Event> events(UUID jobId, long afterSeq, int limit) {
    throwIfLeft(Place.EVENTS);
    return real.events(jobId, afterSeq, limit);
  }

  @Override
  public long hastenRemovals(long retentionMs, long before, int limit) {
    return hastensForEver ? 1 : real.hastenRemovals(retentionMs, before, limit);
  }

  @Override
  public void lead(String lead) {
    real.lead(lead);
  }

  @Override
  public boolean leads(String lead) {
    return real.leads(lead);
  }

  @Override
  public Map<UUID, Long> lastEventSeqs(Collection<UUID> jobIds) {
    return real.lastEventSeqs(jobIds);
  }

  @Override
  public Page<JobView, UUID> list(JobFilter filter, @Nullable UUID before, int limit) {
    return real.list(filter, before, limit);
  }

  @Override
  public Page<Event, Long> history(EventFilter filter, long beforeSeq, int limit) {
    return real.history(filter, beforeSeq, limit);
  }

  @Override
  public Optional<Worker> worker(String workerId) {
    return real.worker(workerId);
  }

  @Override
  public List<WorkerView> workers(String afterId, int limit) {
    return real.workers(afterId, limit);
  }

  @Override
  public WorkerCounts workerCounts(int limit) {
    return real.workerCounts(limit);
  }

  @Override
  public Shut shut() {
    return real.shut();
  }

  @Override
  public Optional<Waiting> oldestClaimable(String queue, int looks) {
    return real.oldestClaimable(queue, looks);
  }

  @Override
  public int aheadOf(Job job, int limit) {
    return real.aheadOf(job, limit);
  }

  @Override
  public List<DeadGroup> deadGroups(@Nullable DeadPlace after, int limit) {
    return real.deadGroups(after, limit);
  }

  @Override
  public List<UUID> deadJobs(String fingerprint, @Nullable UUID before, int limit) {
    return real.deadJobs(fingerprint, before, limit);
  }

  @Override
  public String agree(String name, String proposal) {
    return real.agree(name, proposal);
  }

  @Override
  public List<Attempt> attempts(UUID jobId) {
    return real.attempts(jobId);
  }

  @Override
  public Map<TallyKey, Long> tally() {
    throwIfLeft(Place.TALLY);
    return real.tally();
  }

  @Override
  public List<Ready> claimable(Collection<String> queues, int limit) {
    return hidesClaimable ? List.of() : real.claimable(queues, limit);
  }

  @Override
  public List<UUID> claimableByAll(String queue, int limit) {
    return real.claimableByAll(queue, limit);
  }

  @Override
  public List<Note> notes(long from, int limit) {
    return real.notes(from, limit);
  }

  @Override
  public List<Mirrored> mirrored(Collection<UUID> jobIds) {
    return real.mirrored(jobIds);
  }

  @Override
  public List<UUID> jobsAfter(@Nullable UUID after, int limit) {
    return real.jobsAfter(after, limit);
  }

  @Override
  public List<Event> eventsAfter(Map<UUID, Long> after, int limit) {
    return real.eventsAfter(after, limit);
  }

  @Override
  public long now() {
    throwIfLeft(Place.NOW);
    return real.now();
  }

  @Override
  public void announce(List<Ready> ready) {
    real.announce(ready);
  }

  @Override
  public void onAnnouncement(Consumer<List<Ready>> listener) {
    real.onAnnouncement(listener);
  }

  @Override
  public void announceNews(List<Event> events) {
    throwIfLeft(Place.ANNOUNCE_NEWS);
    real.announceNews(events);
  }

  @Override
  public void announceInterest() {
    real.announceInterest();
  }

  @Override
  public void onNews(Consumer<Collection<UUID>> listener) {
    real.onNews(listener);
  }

  @Override
  public void close() {
    real.close();
  }
}
