package dev.stint.engine;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one way in for contracts: commands go through the ledger, reads go to the store, claims may
 * wait. Rules are in {@link Rules}, not here.
 */
public final class Engine implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Engine.class);
  private static final int MAX_LOOKS = 500;
  private static final int WORKERS_AT_ONCE = 1_000;

  private final Store store;
  private final Tally tally = new Tally();
  private final Throughput throughput = new Throughput();
  private final Series series = new Series();
  private final Vacancies vacancies = new Vacancies();
  private final Closures closures = new Closures();
  private final WaitingRoom room = new WaitingRoom();
  private final NativeWatch watch;
  private final Lookout lookout;
  private final Feed feed;
  private final Ledger ledger;
  private final HandOver handOver;
  private final Claims claims;
  private final Sweeper sweeper;
  private final Sightings sightings = new Sightings();
  private final Neighbours neighbours;
  private final Outbox outbox;

  private Engine(
      Store store, EngineSettings settings, Observer observer, Supplier<Rules.Grant> grants) {
    this.store = store;
    lookout = new Lookout(store, tally, throughput, series, closures, room);
    feed = new Feed(store, settings.maxFollowers());
    watch = new NativeWatch(settings.mirrored());
    Unseen unseen = new Unseen(settings.mirrored() && !store.isShared());
    Clerk clerk =
        new Clerk(
            new Rules(settings.retentionMs(), watch),
            tally,
            sightings,
            closures,
            vacancies,
            feed,
            grants,
            settings.mirrored());
    ledger =
        new Ledger(
            store,
            clerk,
            unseen,
            settings,
            commit -> afterCommit(commit, observer),
            feed::lookUpAll);
    handOver = new HandOver(ledger);
    claims = new Claims(ledger, room, closures, handOver);
    sweeper = new Sweeper(store, ledger, settings.retentionMs());
    neighbours = new Neighbours(store, room, tally, closures, feed);
    outbox = new Outbox(store, ledger, unseen, settings.retentionMs());
  }

  /** Sweeps once, and from then on takes commands. */
  public static Engine start(Store store, EngineSettings settings, Observer observer) {
    Engine engine = new Engine(store, settings, observer, new RandomGrants());
    engine.tally.replace(store.tally());
    engine.neighbours.readShut();
    engine.feed.start();
    engine.ledger.start();
    engine.sweeper.recover();
    engine.sweeper.start();
    engine.neighbours.start();
    return engine;
  }

  /** Every step is taken whatever becomes of those before it: who waits for it knows no other. */
  private void afterCommit(Ledger.Committed commit, Observer observer) {
    Clerk.Done done = commit.done();
    Store.Changes changes = done.changes();
    go(() -> tally.apply(changes.tally()));
    go(() -> throughput.add(done.completions()));
    go(() -> count(done));
    go(() -> vacancies.add(done.departures()));
    go(() -> sightings.written(changes.sightings()));
    go(() -> sweeper.noteDue(done.earliestDueAt()));
    go(() -> feed.committed(changes, done.lastEventSeq()));
    go(() -> store.announceNews(changes.events()));
    if (!done.ready().isEmpty()) {
      go(() -> room.wake(closures.open(done.ready())));
      go(() -> store.announce(done.ready()));
    }
    go(() -> heed(closures.apply(changes)));
    go(lookout::changed);
    if (!changes.notes().isEmpty()) {
      go(outbox::added);
    }
    go(() ->
        observer.committed(
            new Observer.Commit(
                commit.commands(), changes.removals().size(), commit.nanos(), changes.events())));
  }

  private static void go(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      Mishap.log(log, "a step after a commit failed, the others are taken", e);
    }
  }

  private void heed(Closures.@Nullable Change change) {
    if (change != null) {
      go(() -> store.announce(List.of(Neighbours.SHUT_OR_OPENED)));
      neighbours.heed(change);
    }
  }

  private void count(Clerk.Done done) {
    int submitted = done.changes().arrivals().size();
    int failed = done.changes().dead().size();
    int completed = 0;
    for (int ofQueue : done.completions().values()) {
      completed += ofQueue;
    }
    if (submitted + completed + failed > 0) {
      series.add(done.now(), submitted, completed, failed);
    }
  }

  /**
   * Tells {@code listener} what is claimable, and from now on what becomes so, here or on another
   * control plane: after the commit and on the thread that did it, so it must not block or throw.
   * There is one listener, for jobs that are delivered and thus wait for no claim.
   */
  public void onReady(Consumer<List<Store.Ready>> listener) {
    room.watch(listener);
    listener.accept(store.claimable(tally.queuesWithPending(), 1));
  }

  /** From now on jobs leave their queues by this way too; every claim asks it. */
  public void attach(Transport transport) {
    handOver.to(transport);
  }

  /**
   * Carries out a command and returns when it is durable.
   *
   * @param requestId is written into the events that it causes
   * @throws OverloadedException if too many wait already
   * @throws StoreUnavailableException if the store is away
   */
  @SuppressWarnings("unchecked") // the outcome of a claim is one of a claim
  public <O extends Outcome> O execute(Command<O> command, @Nullable String requestId) {
    return command instanceof Command.Claim claim
        ? (O) claims.claim(claim, 0, () -> () -> true, requestId)
        : ledger.execute(command, requestId);
  }

  /**
   * Carries out many commands, which share commits as far as they fit into one. Each has an outcome
   * of its own, and whatever {@link #execute} may throw; {@code get} waits for it.
   */
  @SuppressWarnings("unchecked") // what has the outcomes of a claim is one
  public <O extends Outcome> List<Supplier<O>> executeAll(
      List<? extends Command<O>> commands, @Nullable String requestId) {
    if (commands.isEmpty() || !(commands.getFirst() instanceof Command.Claim)) {
      return ledger.executeAll(commands, requestId);
    }
    List<Command.Claim> wishes = (List<Command.Claim>) (List<?>) commands;
    return (List<Supplier<O>>) (List<?>) claims.claimAll(wishes, requestId);
  }

  /**
   * Like {@link #execute} for a claim, but waits up to {@code maxWaitMs} for a job to come.
   *
   * @param watch called when the wait begins; what it gives is asked before a job is taken for a
   *     client that has waited
   */
  public Outcome.OfClaim claim(
      Command.Claim claim,
      long maxWaitMs,
      Supplier<BooleanSupplier> watch,
      @Nullable String requestId) {
    return claims.claim(claim, maxWaitMs, watch, requestId);
  }

  /** The job, unless it does not exist or has outlived its TTL. */
  public Optional<Store.JobView> find(UUID jobId) {
    return store
        .find(jobId)
        .filter(view -> view.job().spec().ttlMs() == 0 || !view.job().isExpired(store.now()));
  }

  /** These jobs as last committed; those that do not exist are left out. */
  public Map<UUID, Job> jobs(Collection<UUID> jobIds) {
    return store.jobs(jobIds);
  }

  /**
   * Begins to read the events of a job, from the one after {@code afterSeq} on. To be closed.
   *
   * @param job as it was found just now
   * @throws OverloadedException if too many read already
   */
  public Following follow(Job job, long afterSeq) {
    Following following = new Following(feed, store, job, afterSeq);
    feed.join(following);
    return following;
  }

  /** The number of the job's newest event; 0 if it has none. */
  public long lastEventSeq(UUID jobId) {
    return store.lastEventSeqs(List.of(jobId)).getOrDefault(jobId, 0L);
  }

  /** Jobs, newest first; looks far back for rare ones, but not for ever. */
  public Store.Page<Store.JobView, UUID> list(
      Store.JobFilter filter, @Nullable UUID before, int limit) {
    long now = store.now();
    return look(
        before,
        limit,
        (from, wanted) -> store.list(filter, from, wanted),
        view -> !view.job().isExpired(now));
  }

  /** Events, newest first; looks far back for rare ones, but not for ever. */
  public Store.Page<Event, Long> history(
      Store.EventFilter filter, @Nullable Long beforeSeq, int limit) {
    return look(
        beforeSeq,
        limit,
        (from, wanted) ->
            ofLivingJobs(store.history(filter, from == null ? Long.MAX_VALUE : from, wanted)),
        event -> true);
  }

  /** Without those of jobs that have outlived their TTL, if the sweep has not been faster. */
  private Store.Page<Event, Long> ofLivingJobs(Store.Page<Event, Long> page) {
    Set<UUID> jobIds = new HashSet<>();
    for (Event event : page.items()) {
      if (event.jobId() != null) {
        jobIds.add(event.jobId());
      }
    }
    if (jobIds.isEmpty()) {
      return page;
    }
    long now = store.now();
    Set<UUID> expired = new HashSet<>();
    store.jobs(jobIds).values().stream()
        .filter(job -> job.isExpired(now))
        .forEach(job -> expired.add(job.id()));
    List<Event> living =
        page.items().stream()
            .filter(event -> event.jobId() == null || !expired.contains(event.jobId()))
            .toList();
    return new Store.Page<>(living, page.next(), page.isLong());
  }

  /** The events of a job after {@code afterSeq}, oldest first; see {@link Store#events}. */
  public List<Event> events(UUID jobId, long afterSeq, int limit) {
    return store.events(jobId, afterSeq, limit);
  }

  /** The attempts of a job that are over, oldest first. */
  public List<Attempt> attempts(UUID jobId) {
    return store.attempts(jobId);
  }

  /** Gives a part of a list from a place on, or from its beginning. */
  private interface Part<T, C> {
    Store.Page<T, C> from(@Nullable C place, int wanted);
  }

  private static <T, C> Store.Page<T, C> look(
      @Nullable C from, int limit, Part<T, C> part, Predicate<T> isShown) {
    List<T> found = new ArrayList<>();
    C next = from;
    for (int look = 0; look < MAX_LOOKS; look++) {
      Store.Page<T, C> page = part.from(next, limit - found.size());
      page.items().stream().filter(isShown).forEach(found::add);
      next = page.next();
      if (next == null || page.isLong() || found.size() >= limit) {
        return new Store.Page<>(found, next, page.isLong());
      }
    }
    return new Store.Page<>(found, next, false);
  }

  public Optional<Worker> worker(String workerId) {
    return store.worker(workerId);
  }

  /** All workers, in the order of their ids. */
  public List<Store.WorkerView> workers() {
    List<Store.WorkerView> workers = new ArrayList<>();
    List<Store.WorkerView> page;
    do {
      String after = workers.isEmpty() ? "" : workers.getLast().worker().id();
      page = store.workers(after, WORKERS_AT_ONCE);
      workers.addAll(page);
    } while (page.size() == WORKERS_AT_ONCE);
    return workers;
  }

  /** How many jobs there are by queue and state, as this control plane knows it. Never counts. */
  public Map<Store.TallyKey, Long> tally() {
    return tally.snapshot();
  }

  /** How many jobs this control plane saw completed within the last minute, by queue. */
  public Map<String, Long> completedPerMinute() {
    return throughput.perMinute();
  }

  /** How many workers count as there; as of a second ago at most. */
  public long onlineWorkers() {
    return lookout.workerCounts().online();
  }

  /** What those look at who run a fleet. */
  public Lookout lookout() {
    return lookout;
  }

  /** What a mirror of the jobs has to be told, if the engine was started with one. */
  public Outbox outbox() {
    return outbox;
  }

  /** Whether a worker is to finish what it has and gets nothing more. */
  public boolean isDraining(String workerId) {
    return closures.isShutOut(workerId);
  }

  /** The value under this name that all control planes on the store share: the first wins. */
  public String agree(String name, String proposal) {
    return store.agree(name, proposal);
  }

  /** How many claims wait for a job now. */
  public int parkedClaims() {
    return room.waiting();
  }

  /** How many read the events of a job now. */
  public int followers() {
    return feed.followers();
  }

  /** How many commands wait to be committed now. */
  public int waitingCommands() {
    return ledger.waiting();
  }

  /** The store's clock; throws if it does not answer. */
  public long now() {
    return store.now();
  }

  /**
   * What workers did that get their jobs by a transport has been taken over, by a look that began
   * and ended then. In a mirrored engine they lose no job while this is not called.
   */
  public void lookedAtNatives(long begun, long ended) {
    watch.looked(begun, ended);
  }

  /** Answers all who wait, for a job or for its events, and lets nobody wait any longer. */
  public void stopWaiting() {
    room.close();
    feed.close();
    lookout.close();
  }

  /** Commits what has been accepted, and stops. The store stays open. */
  @Override
  public void close() {
    stopWaiting();
    neighbours.close();
    sweeper.close();
    ledger.close();
  }

  /** Attempt ids, and lease tokens of 128 random bits. */
  private static final class RandomGrants implements Supplier<Rules.Grant> {
    private final SecureRandom random = new SecureRandom();

    @Override
    public Rules.Grant get() {
      byte[] token = new byte[16];
      random.nextBytes(token);
      return new Rules.Grant(
          JobIds.next(), Base64.getUrlEncoder().withoutPadding().encodeToString(token));
    }
  }
}
