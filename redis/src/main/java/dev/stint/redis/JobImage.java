package dev.stint.redis;

import dev.stint.contracts.gateway.JobRecord;
import dev.stint.contracts.workerapi.TaskRecord;
import dev.stint.engine.Event;
import dev.stint.engine.Job;
import dev.stint.engine.Lease;
import dev.stint.engine.Needs;
import dev.stint.engine.Store;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What Redis is to show of one job.
 *
 * @param news the events of the job that are not known to be in Redis, oldest first
 * @param before what Redis is known to have
 */
record JobImage(Store.Mirrored job, List<News> news, Written before) {
  /** So long a claim may take to ask for its message, whose id it wants to tell. */
  static final long CLAIM_SETTLES_MS = 1_500;

  private static final List<String> EVENT_FIELDS = List.of("type", "ts", "step", "data");

  /** As many as Redis itself keeps together. */
  private static final int MAX_EVENTS_AT_ONCE = 100;

  private static final long LONGEST_TTL_MS = TimeUnit.DAYS.toMillis(3_650);

  /**
   * How far the events of a job are in Redis.
   *
   * @param ours the number of the last that only we can have written
   * @param any the number of the last, whoever wrote it
   */
  record Written(long ours, long any) {
    static final Written NOTHING = new Written(0, 0);
  }

  /**
   * An event that readers see.
   *
   * @param isOurs false if a worker wrote it into Redis, from where it came to the store
   */
  record News(long number, boolean isOurs, JobRecord.Entry entry) {
    /** The second part of its id in the stream of events. */
    long place() {
      return Keys.OWN_EVENTS + number * Keys.OWN_STEP;
    }
  }

  static JobImage of(Store.Mirrored job, List<Event> events, Written before) {
    List<News> news = new ArrayList<>(events.size());
    for (Event event : events) {
      JobRecord.Entry entry = JobRecord.entry(event);
      if (entry != null) {
        news.add(new News(event.seq(), !isTakenOver(event), entry));
      }
    }
    return new JobImage(job, news, before);
  }

  private static boolean isTakenOver(Event event) {
    return event.requestId() != null && event.requestId().startsWith(Keys.TAKEN_OVER);
  }

  /** What all jobs of one moment have in common. */
  record Moment(Set<String> pausedQueues, long now, long retentionMs) {}

  /** What {@code mirror.lua} and {@code look.lua} take for one job. */
  byte[] packed(Moment moment) {
    Store.JobView view = job.view();
    Job current = view.job();
    String queue = current.spec().queue();
    boolean isTask = queue.equals(TaskRecord.QUEUE);
    Packer packer =
        new Packer()
            .list(13)
            .text(current.id().toString())
            .text(mode(current))
            .text(ttl(current, moment))
            .text(queue)
            .text(wanted(current, moment))
            .text(Objects.requireNonNullElse(job.key(), ""))
            .number(before.ours())
            .number(after().any())
            .text(TaskRecord.place(current.state()).name().toLowerCase(Locale.ROOT))
            .text(seconds(TaskRecord.since(view)));
    add(packer, JobRecord.hash(view));
    add(packer, isTask ? TaskRecord.hash(view) : Map.of());
    packer.list(6 * news.size());
    news.forEach(one -> add(packer, one));
    return packer.bytes();
  }

  /**
   * Whether all of it can be put into Redis at once, given that nothing of it is there: it is over,
   * so that nobody writes about it any more, and its events are here from the first one on.
   */
  boolean isWhole() {
    Job current = job.view().job();
    return current.state().isTerminal()
        && !current.spec().queue().equals(TaskRecord.QUEUE)
        && before.equals(Written.NOTHING)
        && !news.isEmpty()
        && news.size() <= MAX_EVENTS_AT_ONCE
        && news.stream().allMatch(News::isOurs);
  }

  /** What {@code put.lua} takes for one job. */
  List<byte[]> whole(Dump.Format format, Moment moment) {
    Store.JobView view = job.view();
    List<Dump.Entry> entries = new ArrayList<>(news.size());
    long ms = 0;
    for (News one : news) {
      JobRecord.Entry entry = one.entry();
      ms = Math.max(ms, entry.ts());
      entries.add(
          new Dump.Entry(
              new StreamId(ms, one.place()),
              List.of(entry.type(), Long.toString(entry.ts()), entry.step(), entry.data())));
    }
    return List.of(
        utf8(view.job().id().toString()),
        utf8(ttl(view.job(), moment)),
        utf8(Objects.requireNonNullElse(job.key(), "")),
        utf8(view.job().spec().queue()),
        Dump.hash(format, JobRecord.hash(view)),
        Dump.stream(format, EVENT_FIELDS, entries));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** What Redis has once this is written. */
  Written after() {
    Written after = before;
    for (News one : news) {
      after = new Written(one.isOurs() ? one.number() : after.ours(), one.number());
    }
    return after;
  }

  private static void add(Packer packer, News news) {
    JobRecord.Entry entry = news.entry();
    packer
        .number(news.place())
        .text(news.isOurs() ? "ours" : "theirs")
        .text(entry.type())
        .number(entry.ts())
        .text(entry.step())
        .text(entry.data());
  }

  private static void add(Packer packer, Map<String, String> hash) {
    packer.list(2 * hash.size());
    hash.forEach((name, value) -> packer.text(name).text(value));
  }

  /** How many characters it is about, to know how many may be under way at once. */
  int size() {
    Store.JobView view = job.view();
    int size = 1_000 + 2 * view.content().payload().length();
    if (view.last() != null && view.last().result() != null) {
      size += view.last().result().length();
    }
    for (News one : news) {
      size += 200 + one.entry().data().length();
    }
    return size;
  }

  /**
   * Who writes what changes while a job runs: its worker, the control plane, or nobody any more.
   */
  private static String mode(Job job) {
    if (isHeldNatively(job)) {
      return "native";
    }
    return job.state().isTerminal() ? "over" : "own";
  }

  /** A worker that reads the stream itself has it, and writes about it itself. */
  static boolean isHeldNatively(Job job) {
    Lease lease = job.lease();
    return lease != null && lease.nativeMessage() != null;
  }

  /** Whether it may be put into a stream: a worker that states no skills may have it. */
  static boolean isForAll(Job job) {
    Needs needs = job.spec().needs();
    return !Keys.isReserved(job.spec().queue())
        && needs.requirements().isEmpty()
        && needs.tenant() == null
        && needs.workspace() == null
        && needs.target() == null;
  }

  /** What is to become of its message. */
  private static String wanted(Job job, Moment moment) {
    Lease lease = job.lease();
    if (lease != null && lease.nativeMessage() != null) {
      return "leave";
    }
    if (lease != null && moment.now() - lease.claimedAt() < CLAIM_SETTLES_MS) {
      return "claimed";
    }
    if (!job.claimable() || !isForAll(job) || job.isExpired(moment.now())) {
      return "none";
    }
    return moment.pausedQueues().contains(job.spec().queue()) ? "withdraw" : job.enqueueId();
  }

  private static String ttl(Job job, Moment moment) {
    long life = job.spec().ttlMs();
    if (life == 0) {
      if (!job.state().isTerminal()) {
        return "";
      }
      life = moment.retentionMs();
    }
    long left = job.livesFrom() - moment.now() + Math.min(life, LONGEST_TTL_MS);
    return Long.toString(Math.max(1, left));
  }

  private static String seconds(long millis) {
    return "%d.%03d".formatted(millis / 1_000, millis % 1_000);
  }
}
