package dev.stint.redis;

import dev.stint.contracts.workerapi.TaskRecord;
import dev.stint.engine.Outbox;
import dev.stint.engine.Store;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes notes out of the outbox and shows in Redis what they are about, in rounds: many notes at
 * once, each job once and as it is then, so that one that was submitted, claimed and completed
 * meanwhile is written once. Only the leader of several control planes does.
 */
final class Relay {
  private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
  static final int MAX_NOTES = 2_000;

  /** With more notes than these a note rests, since its job is likely to change again soon. */
  private static final int BUSY = 25;

  private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final int PART = 500;
  private static final int MAX_OFFERED = 1_000_000;
  private static final long SEEK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After this, and a little more, a claim has asked for its message. */
  private static final long SETTLES_NANOS =
      TimeUnit.MILLISECONDS.toNanos(JobImage.CLAIM_SETTLES_MS + 100);

  private final Outbox outbox;
  private final RedisLink link;
  private final Mirror mirror;
  private final Leadership leadership;
  private final Runnable onBegin;
  private Set<String> paused = Set.of();
  private long soughtAt = System.nanoTime() - SEEK_NANOS;

  /** Set until it has run through: Redis may have the new mark and lack all else. */
  private boolean mustBegin;

  /** Notes that rest, of jobs that were looked at after these were read: nothing is to be done. */
  private Set<Long> settled = Set.of();

  private final Deque<Sight> sights = new ArrayDeque<>();
  private long ripeSeq;

  /**
   * Most looks begin where the oldest note was a short while ago, as it costs to pass those that
   * are gone; now and then one is made for those that came late.
   */
  private long lookFrom;

  /** Jobs that a claim may be about to take from the stream, to be looked at when it has. */
  private final Deque<Unsettled> unsettled = new ArrayDeque<>();

  private record Unsettled(UUID jobId, long dueNanos) {}

  private String warnedOf = "";
  private volatile long oldestAt;

  /** Up to which number notes were there at a time. */
  private record Sight(long seq, long atNanos) {}

  /**
   * A relay.
   *
   * @param link for all that is waited for; has nothing else to do
   * @param gathering for what is sent many at a time
   * @param storeId which database the outbox is of
   * @param onBegin called when Redis may have to be put right as a whole
   */
  Relay(
      Outbox outbox,
      RedisLink link,
      RedisLink gathering,
      String node,
      String storeId,
      Runnable onBegin) {
    this.outbox = outbox;
    this.link = link;
    this.mirror = new Mirror(outbox, gathering, this::lookLater);
    this.leadership = new Leadership(link, node, storeId);
    this.onBegin = onBegin;
  }

  /**
   * What a round did.
   *
   * @param left notes that rest, to be looked at soon
   */
  record Round(int taken, int left) {}

  /**
   * One round.
   *
   * @param mayRest whether notes may be left to a later round
   * @throws RedisException if Redis is away; the notes stay
   */
  Round runOnce(boolean mayRest) {
    try {
      return round(mayRest);
    } catch (LeadLostException e) {
      // The notes stay, for whoever has it.
      soughtAt = System.nanoTime() - SEEK_NANOS;
      return new Round(0, 0);
    } catch (RedisException e) {
      // Others may still reach it: they must not have to wait. The next round asks it again.
      outbox.follow();
      soughtAt = System.nanoTime() - SEEK_NANOS;
      throw e;
    }
  }

  private Round round(boolean mayRest) {
    if (System.nanoTime() - soughtAt >= SEEK_NANOS) {
      seek();
      lookFrom = 0;
      if (!leadership.isLeader()) {
        look();
      }
    }
    if (!leadership.isLeader()) {
      return new Round(0, 0);
    }
    settle();
    List<Store.Note> notes = outbox.notes(mayRest ? lookFrom : 0, MAX_NOTES);
    if (lookFrom == 0 && !notes.isEmpty()) {
      lookFrom = notes.getFirst().seq();
    }
    oldestAt = notes.isEmpty() ? 0 : notes.getFirst().at();
    List<Store.Note> ripe = mayRest ? ripe(notes) : notes;
    if (!ripe.isEmpty()) {
      List<Store.Note> resting = notes.subList(ripe.size(), notes.size());
      relay(ripe, resting, ours(notes));
      if (notes.size() < MAX_NOTES) {
        // The next round may be long in coming if nothing happens.
        oldestAt = resting.isEmpty() ? 0 : resting.getFirst().at();
      }
    }
    return new Round(ripe.size(), notes.size() - ripe.size());
  }

  private void lookLater(UUID jobId) {
    if (unsettled.size() < MAX_OFFERED) {
      unsettled.add(new Unsettled(jobId, System.nanoTime() + SETTLES_NANOS));
    }
  }

  /** A claim that could not ask Redis leaves its message there: then it is taken away here. */
  private void settle() {
    long now = System.nanoTime();
    List<Unsettled> due = unsettled.stream().takeWhile(one -> now - one.dueNanos() >= 0).toList();
    writeInParts(due.stream().map(Unsettled::jobId).toList());
    due.forEach(_ -> unsettled.removeFirst());
  }

  /**
   * The jobs with one note: of one that is unseen this control plane has written one itself, so
   * that any other would be another's. Where there are more notes than were read, none is sure.
   */
  private Set<UUID> ours(List<Store.Note> notes) {
    Set<UUID> once = new HashSet<>();
    if (!outbox.isShared() || notes.size() < MAX_NOTES) {
      Set<UUID> often = new HashSet<>();
      for (Store.Note note : notes) {
        UUID id = note.jobId();
        if (id != null && !once.add(id)) {
          often.add(id);
        }
      }
      once.removeAll(often);
    }
    return once;
  }

  /** Goes by when they were first seen here, since a clock that was set back stands still. */
  private List<Store.Note> ripe(List<Store.Note> notes) {
    if (notes.size() <= BUSY || notes.size() == MAX_NOTES) {
      sights.clear();
      return notes;
    }
    long now = System.nanoTime();
    sights.add(new Sight(notes.getLast().seq(), now));
    while (now - sights.getFirst().atNanos() >= REST_NANOS) {
      ripeSeq = sights.removeFirst().seq();
    }
    return notes.stream().takeWhile(note -> note.seq() <= ripeSeq).toList();
  }

  /** Learns how far behind Redis is, when nothing else tells. */
  void look() {
    List<Store.Note> oldest = outbox.notes(0, 1);
    oldestAt = oldest.isEmpty() ? 0 : oldest.getFirst().at();
  }

  /** How long the oldest change has waited to be shown, in milliseconds of this machine's clock. */
  long lagMs() {
    long at = oldestAt;
    return at == 0 ? 0 : Math.max(0, System.currentTimeMillis() - at);
  }

  /** Whether Redis turned out to be another database's. */
  boolean isForeign() {
    return leadership.isForeign();
  }

  boolean isLeader() {
    return leadership.isLeader();
  }

  void resign() {
    outbox.follow();
    leadership.resign();
  }

  private void seek() {
    soughtAt = System.nanoTime();
    Leadership.Standing standing = leadership.seek();
    if (standing == Leadership.Standing.FOLLOWS) {
      outbox.follow();
      return;
    }
    mustBegin |= standing == Leadership.Standing.BEGINS;
    outbox.lead();
    if (mustBegin) {
      begin();
    }
  }

  private void begin() {
    mustBegin = true;
    settled = Set.of();
    mirror.forget();
    mirror.prepare();
    paused = outbox.pausedQueues();
    warnIfKeysAreEvicted();
    leadership.leaveMark();
    onBegin.run();
    mustBegin = false;
  }

  private void warnIfKeysAreEvicted() {
    try {
      String policy = evictionPolicy(link.sync().info("memory"));
      if (!policy.isEmpty() && !policy.equals(warnedOf)) {
        LOG.warn("Redis may drop keys that are needed: set its maxmemory-policy to noeviction");
      }
      warnedOf = policy;
    } catch (RedisCommandExecutionException e) {
      LOG.debug("Redis does not tell whether it drops keys: {}", e.getMessage());
    }
  }

  /** By which rule Redis drops keys when it is full; empty if it drops none. */
  static String evictionPolicy(String info) {
    return info.lines()
        .filter(line -> line.startsWith("maxmemory_policy:"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .filter(policy -> !policy.equals("noeviction"))
        .findFirst()
        .orElse("");
  }

  /**
   * Shows what notes are about.
   *
   * @param resting later ones; those of the same jobs are settled with this look
   * @param ours the jobs of which no other control plane noted anything
   */
  private void relay(List<Store.Note> notes, List<Store.Note> resting, Set<UUID> ours) {
    Map<UUID, String> jobs = new LinkedHashMap<>();
    Set<String> workers = new LinkedHashSet<>();
    Set<String> queues = new LinkedHashSet<>();
    for (Store.Note note : notes) {
      if (note.jobId() != null) {
        if (!settled.contains(note.seq())) {
          jobs.merge(note.jobId(), queueOf(note), Relay::known);
        }
      } else if (note.workerId() != null) {
        workers.add(note.workerId());
      } else if (note.queue() != null) {
        queues.add(note.queue());
      }
    }
    Set<Long> settledNow = settleWith(jobs, resting);
    if (!queues.isEmpty()) {
      paused = outbox.pausedQueues();
    }
    write(jobs, ours);
    settled = settledNow;
    each(workers, this::writeWorker);
    each(queues, this::openOrShut);
    boolean isKnown = !mustBegin;
    mustBegin = true;
    if (leadership.leaveMark() && isKnown) {
      mustBegin = false;
    } else {
      begin();
    }
    outbox.relayed(notes);
  }

  /** Which of the later notes need no look of their own once these jobs have been looked at. */
  private Set<Long> settleWith(Map<UUID, String> jobs, List<Store.Note> resting) {
    Set<Long> settledNow = new HashSet<>();
    for (Store.Note note : resting) {
      UUID id = note.jobId();
      if (id != null && jobs.containsKey(id)) {
        jobs.merge(id, queueOf(note), Relay::known);
        settledNow.add(note.seq());
      } else if (settled.contains(note.seq())) {
        settledNow.add(note.seq());
      }
    }
    return settledNow;
  }

  private static String queueOf(Store.Note note) {
    return note.queue() == null ? "" : note.queue();
  }

  private static String known(String one, String other) {
    return one.isEmpty() ? other : one;
  }

  private void write(Map<UUID, String> jobs, Set<UUID> ours) {
    if (jobs.isEmpty()) {
      return;
    }
    mirror.write(jobs, ours, new JobImage.Moment(paused, outbox.now(), outbox.retentionMs()));
  }

  private void writeWorker(String workerId) {
    Map<String, String> hash = outbox.worker(workerId).map(TaskRecord::hash).orElse(Map.of());
    String key = Keys.worker(workerId);
    if (!hash.isEmpty()) {
      link.sync().hset(key, hash);
    } else if (link.sync().type(key).equals("hash")
        && link.sync().hexists(key, TaskRecord.WORKER_MARK)) {
      link.sync().del(key);
    }
  }

  /** Does something for each; a key of another type keeps no others from being shown. */
  private static void each(Set<String> names, Consumer<String> work) {
    for (String name : names) {
      try {
        work.accept(name);
      } catch (RedisCommandExecutionException e) {
        if (!RedisLink.isOfAnotherType(e)) {
          throw e;
        }
        LOG.warn("{} cannot be shown: a key in Redis is of another type", name);
      }
    }
  }

  /** A paused queue has no messages but those that a worker has already. */
  private void openOrShut(String queue) {
    if (Keys.isReserved(queue)) {
      return;
    }
    if (!paused.contains(queue)) {
      List<UUID> offered = outbox.claimableByAll(queue, MAX_OFFERED);
      writeInParts(offered);
      if (offered.size() == MAX_OFFERED) {
        // The comparison finds which others lack a message.
        onBegin.run();
      }
      return;
    }
    ScanCursor cursor = ScanCursor.INITIAL;
    do {
      var page = link.sync().hscan(Keys.messages(queue), cursor, ScanArgs.Builder.limit(PART));
      writeInParts(page.getMap().keySet().stream().map(UUID::fromString).toList());
      cursor = page;
    } while (!cursor.isFinished());
  }

  private void writeInParts(Collection<UUID> jobIds) {
    List<UUID> all = new ArrayList<>(jobIds);
    for (int from = 0; from < all.size(); from += PART) {
      Map<UUID, String> part = new LinkedHashMap<>();
      all.subList(from, Math.min(from + PART, all.size())).forEach(id -> part.put(id, ""));
      write(part, Set.of());
      if (System.nanoTime() - soughtAt >= SEEK_NANOS) {
        seek();
      }
    }
  }
}
