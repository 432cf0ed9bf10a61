package dev.stint.redis;

import dev.stint.engine.Event;
import dev.stint.engine.Job;
import dev.stint.engine.Outbox;
import dev.stint.engine.Store;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes jobs into Redis as the store has them now, many at a time. To write one twice does no
 * harm, and an older state never overwrites a newer one. Writes only what was read while this
 * control plane had the lead, as claims count on that. Has a connection of its own; not to be used
 * by two threads at once.
 */
final class Mirror {
  private static final Logger LOG = LoggerFactory.getLogger(Mirror.class);
  private static final Script WRITE = Script.of("mirror");
  private static final Script PUT = Script.of("put");
  private static final Script FORGET = Script.of("forget");
  private static final Pattern PASSING = Pattern.compile("\\b(OOM|MISCONF|NOREPLICAS|READONLY)\\b");

  /** So many jobs, with all that they are about, are read at once. */
  private static final int JOBS_AT_ONCE = 100;

  private static final int MAX_EVENTS = 5_000;
  private static final int MAX_CHARS_UNDER_WAY = 4_000_000;

  /** Redis does nothing else while it writes them. */
  private static final int MAX_IN_A_CALL = 50;

  private static final int MAX_CHARS_IN_A_CALL = 200_000;
  private static final int MAX_REMEMBERED = 100_000;

  private final Outbox outbox;
  private final RedisLink link;
  private final Consumer<UUID> onUnsettled;

  /** How whole keys are put, or null if Redis does not let us; found out again at every begin. */
  private Dump.@Nullable Format format;

  /** How far the events of jobs are written, so that only those after that are read. */
  private final Map<UUID, JobImage.Written> written =
      new LinkedHashMap<>(1_024, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, JobImage.Written> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };

  /** Jobs on their way to Redis with one call. */
  private record Sent(List<JobImage> images, RedisFuture<List<String>> answers) {}

  /**
   * Knows nothing of what Redis has.
   *
   * @param onUnsettled called with each job whose message was left to the claim that has it
   */
  Mirror(Outbox outbox, RedisLink link, Consumer<UUID> onUnsettled) {
    this.outbox = outbox;
    this.link = link;
    this.onUnsettled = onUnsettled;
  }

  /** Sends what Redis has to know before it can do anything. */
  void prepare() {
    List<RedisFuture<String>> loads =
        Stream.of(WRITE, PUT, FORGET).map(script -> script.load(link.async())).toList();
    link.flush();
    loads.forEach(RedisLink::await);
    format = Dump.Format.PACKED;
  }

  /** Forgets what Redis has, since that may be wrong. */
  void forget() {
    written.clear();
  }

  /**
   * Writes these jobs, in this order.
   *
   * @param jobs with the queue of those that are gone for good, and an empty text with others
   * @param ours those of which no other control plane has noted a change
   * @throws RedisException if Redis is away; some may have been written
   * @throws LeadLostException if another one may show them; some may have been written
   */
  void write(Map<UUID, String> jobs, Set<UUID> ours, JobImage.Moment moment) {
    try {
      writeAll(jobs, ours, moment);
    } catch (RedisNoScriptException e) {
      prepare();
      writeAll(jobs, Set.of(), moment);
    }
  }

  private void writeAll(Map<UUID, String> jobs, Set<UUID> ours, JobImage.Moment moment) {
    Map<UUID, String> again = writeKnowing(jobs, ours, moment);
    if (!again.isEmpty()) {
      again.keySet().forEach(written::remove);
      writeKnowing(again, Set.of(), moment);
    }
  }

  /** The same; gives those of which Redis has less than was known. */
  private Map<UUID, String> writeKnowing(
      Map<UUID, String> jobs, Set<UUID> ours, JobImage.Moment moment) {
    String lead = outbox.currentLead();
    Map<UUID, Outbox.Fresh> fresh = outbox.look(jobs.keySet());
    fresh.keySet().retainAll(ours);
    List<UUID> gaps = writeRead(jobs, fresh.keySet(), moment, lead);
    List<JobImage> images = new ArrayList<>(fresh.size());
    for (UUID id : jobs.keySet()) {
      Outbox.Fresh one = fresh.get(id);
      if (one != null) {
        images.add(JobImage.of(one.job(), one.events(), known(id)));
      }
    }
    gaps.addAll(putOrSend(images, moment, lead));
    Map<UUID, String> again = new LinkedHashMap<>();
    gaps.forEach(id -> again.put(id, Objects.requireNonNull(jobs.get(id))));
    return again;
  }

  /** Writes those that have to be read from the store, and gives those of which Redis has less. */
  private List<UUID> writeRead(
      Map<UUID, String> jobs, Set<UUID> fresh, JobImage.Moment moment, @Nullable String lead) {
    List<UUID> gaps = new ArrayList<>();
    Map<UUID, Long> left = new LinkedHashMap<>();
    jobs.keySet().stream()
        .filter(id -> !fresh.contains(id))
        .forEach(id -> left.put(id, known(id).any()));
    while (!left.isEmpty()) {
      List<Event> events = outbox.events(left, MAX_EVENTS);
      Map<UUID, List<Event>> byJob = new HashMap<>();
      events.forEach(
          event -> byJob.computeIfAbsent(jobOf(event), _ -> new ArrayList<>()).add(event));
      boolean isAll = !Event.mayBeFollowed(events, MAX_EVENTS);
      Map<UUID, Long> ready = new LinkedHashMap<>(left);
      if (!isAll) {
        ready.keySet().retainAll(byJob.keySet());
      }
      for (Map<UUID, Long> part : parts(ready)) {
        gaps.addAll(putOrSend(read(part, byJob, jobs), moment, lead));
      }
      left.keySet().removeAll(ready.keySet());
      if (!isAll) {
        // The last one may have more than fitted in.
        left.put(jobOf(events.getLast()), events.getLast().seq());
      }
    }
    return gaps;
  }

  private static List<Map<UUID, Long>> parts(Map<UUID, Long> all) {
    List<Map<UUID, Long>> parts = new ArrayList<>();
    all.forEach((id, after) -> {
      if (parts.isEmpty() || parts.getLast().size() == JOBS_AT_ONCE) {
        parts.add(new LinkedHashMap<>());
      }
      parts.getLast().put(id, after);
    });
    return parts;
  }

  private JobImage.Written known(UUID jobId) {
    return written.getOrDefault(jobId, JobImage.Written.NOTHING);
  }

  private static UUID jobOf(Event event) {
    return Objects.requireNonNull(event.jobId());
  }

  /**
   * The jobs are read after their events, so that no event is told of what a hash does not show.
   * What is gone is forgotten in Redis too.
   *
   * @param after the number of the event behind which those of a job were read
   */
  private List<JobImage> read(
      Map<UUID, Long> after, Map<UUID, List<Event>> events, Map<UUID, String> queues) {
    Map<UUID, Store.Mirrored> found = new HashMap<>();
    outbox.jobs(after.keySet()).forEach(job -> found.put(job.view().job().id(), job));
    List<UUID> gone = new ArrayList<>();
    List<JobImage> images = new ArrayList<>(found.size());
    after.forEach((id, any) -> {
      Store.Mirrored job = found.get(id);
      if (job == null) {
        gone.add(id);
      } else {
        JobImage.Written before = new JobImage.Written(known(id).ours(), any);
        images.add(JobImage.of(job, events.getOrDefault(id, List.of()), before));
      }
    });
    forget(gone, queues);
    return images;
  }

  /**
   * Writes these, as a whole where that can be; gives the jobs of which Redis lacks events.
   *
   * @param lead under which they were read
   */
  private List<UUID> putOrSend(
      List<JobImage> images, JobImage.Moment moment, @Nullable String lead) {
    if (images.isEmpty()) {
      return List.of();
    }
    if (!outbox.lasts(lead)) {
      throw new LeadLostException();
    }
    List<JobImage> whole = new ArrayList<>(images.size());
    List<JobImage> others = new ArrayList<>();
    for (JobImage image : images) {
      (image.isWhole() ? whole : others).add(image);
    }
    others.addAll(put(whole, moment));
    return send(others, moment);
  }

  /** Puts these there as they are; gives those for which that cannot be. */
  private List<JobImage> put(List<JobImage> images, JobImage.Moment moment) {
    Dump.Format tried = format;
    if (tried == null) {
      return images;
    }
    List<JobImage> left = new ArrayList<>();
    Set<String> refusals = new HashSet<>();
    inCalls(
        images,
        image -> image.whole(tried, moment),
        PUT,
        (image, answer) -> {
          if (!answer.equals("ok")) {
            throwIfPassing(answer);
            left.add(image);
            refusals.add(answer);
          }
        });
    // Something of the job may be there already, which says nothing of others.
    refusals.removeIf(refusal -> refusal.equals("shown") || refusal.contains("BUSYKEY"));
    if (refusals.isEmpty()) {
      return left;
    }
    // An older Redis does not know the format; some let not every user restore keys.
    format = tried == Dump.Format.PACKED ? Dump.Format.PLAIN : null;
    return put(left, moment);
  }

  /** Writes these; gives the jobs of which Redis lacks events. */
  private List<UUID> send(List<JobImage> images, JobImage.Moment moment) {
    List<UUID> gaps = new ArrayList<>();
    inCalls(
        images,
        image -> List.of(image.packed(moment)),
        WRITE,
        (image, answer) -> {
          if (isGap(image, answer)) {
            gaps.add(image.job().view().job().id());
          }
        });
    return gaps;
  }

  /** Calls a script for a number of jobs at a time, with many calls under way at once. */
  private void inCalls(
      List<JobImage> images,
      Function<JobImage, List<byte[]>> arguments,
      Script script,
      BiConsumer<JobImage, String> answered) {
    List<Sent> underWay = new ArrayList<>();
    long chars = 0;
    int from = 0;
    while (from < images.size()) {
      int to = from;
      long charsInCall = 0;
      List<byte[]> packed = new ArrayList<>();
      while (to < images.size() && to - from < MAX_IN_A_CALL && charsInCall < MAX_CHARS_IN_A_CALL) {
        charsInCall += images.get(to).size();
        packed.addAll(arguments.apply(images.get(to)));
        to++;
      }
      underWay.add(new Sent(images.subList(from, to), script.list(link.async(), packed)));
      from = to;
      chars += charsInCall;
      if (chars > MAX_CHARS_UNDER_WAY || from == images.size()) {
        await(underWay, answered);
        underWay.clear();
        chars = 0;
      }
    }
  }

  private void await(List<Sent> underWay, BiConsumer<JobImage, String> answered) {
    link.flush();
    for (Sent sent : underWay) {
      List<String> answers = RedisLink.await(sent.answers());
      for (int i = 0; i < answers.size(); i++) {
        answered.accept(sent.images().get(i), answers.get(i));
      }
    }
  }

  private void forget(List<UUID> gone, Map<UUID, String> queues) {
    Map<UUID, RedisFuture<String>> answers = new LinkedHashMap<>();
    for (UUID id : gone) {
      String queue = queues.getOrDefault(id, "");
      answers.put(id, FORGET.text(link.async(), id.toString(), queue));
      written.remove(id);
    }
    if (!answers.isEmpty()) {
      link.flush();
      RedisLink.awaitEach(answers);
    }
  }

  /**
   * Throws if Redis takes nothing now, whatever it is: it has no memory left, cannot save, has no
   * replicas, or is one itself.
   */
  private static void throwIfPassing(String refusal) {
    if (PASSING.matcher(refusal).find()) {
      throw new RedisCommandExecutionException(refusal);
    }
  }

  /**
   * Takes an answer in; tells if Redis lacks events of this job. What Redis refuses to do for one
   * job must not keep it from doing the same for others.
   */
  private boolean isGap(JobImage image, String answer) {
    Job job = image.job().view().job();
    written.remove(job.id());
    switch (answer) {
      case "ok", "claimed" -> {
        if (answer.equals("claimed")) {
          onUnsettled.accept(job.id());
        }
        // What is over hardly ever changes again.
        if (!job.state().isTerminal()) {
          written.put(job.id(), image.after());
        }
      }
      case "gap" -> {
        return true;
      }
      case "stale" -> {}
      default -> {
        throwIfPassing(answer);
        LOG.warn("Redis does not take job {}: {}", job.id(), answer);
      }
    }
    return false;
  }
}
