package dev.stint.redis;

import dev.stint.contracts.workerapi.TaskRecord;
import dev.stint.engine.Event;
import dev.stint.engine.Job;
import dev.stint.engine.Outbox;
import dev.stint.engine.Store;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Every job of the store, with all of its keys and its message. */
final class JobStage implements Stage<UUID> {
  private static final Script LOOK = Script.of("look");
  private static final Script MEND = Script.of("mend");
  private static final int PAGE = 200;

  /** So many jobs, with all that they are about and all their events, are read at once. */
  private static final int AT_ONCE = 50;

  private static final int MAX_EVENTS = 5_000;

  private final Outbox outbox;
  private final RedisLink link;
  private final Mirror mirror;

  JobStage(Outbox outbox, RedisLink link, Mirror mirror) {
    this.outbox = outbox;
    this.link = link;
    this.mirror = mirror;
  }

  @Override
  public Page<UUID> page(@Nullable String place) {
    UUID after = place == null ? null : UUID.fromString(place);
    List<UUID> ids = outbox.jobsAfter(after, PAGE);
    return new Page<>(ids, ids.size() < PAGE ? null : ids.getLast().toString());
  }

  @Override
  public Map<UUID, List<Difference>> look(Collection<UUID> jobIds) {
    List<UUID> all = List.copyOf(jobIds);
    Map<UUID, List<Difference>> wrong = new LinkedHashMap<>();
    for (int from = 0; from < all.size(); from += AT_ONCE) {
      wrong.putAll(lookAtPart(all.subList(from, Math.min(from + AT_ONCE, all.size()))));
    }
    return wrong;
  }

  private Map<UUID, List<Difference>> lookAtPart(List<UUID> jobIds) {
    Map<UUID, List<Event>> events = events(jobIds);
    JobImage.Moment moment = moment();
    Map<UUID, RedisFuture<List<String>>> answers = new LinkedHashMap<>();
    RedisFuture<String> loaded = LOOK.load(link.async());
    for (Store.Mirrored job : outbox.jobs(jobIds)) {
      UUID id = job.view().job().id();
      JobImage image =
          JobImage.of(job, events.getOrDefault(id, List.of()), JobImage.Written.NOTHING);
      answers.put(id, LOOK.list(link.async(), List.of(image.packed(moment))));
    }
    link.flush();
    RedisLink.await(loaded);
    Map<UUID, List<Difference>> wrong = new LinkedHashMap<>();
    answers.forEach((id, answer) -> {
      List<Difference> differences = Difference.all(RedisLink.await(answer));
      if (!differences.isEmpty()) {
        wrong.put(id, differences);
      }
    });
    return wrong;
  }

  JobImage.Moment moment() {
    return new JobImage.Moment(outbox.pausedQueues(), outbox.now(), outbox.retentionMs());
  }

  private Map<UUID, List<Event>> events(Collection<UUID> jobIds) {
    Map<UUID, List<Event>> byJob = new HashMap<>();
    Map<UUID, Long> after = new HashMap<>();
    jobIds.forEach(id -> after.put(id, 0L));
    List<Event> part;
    do {
      part = outbox.events(after, MAX_EVENTS);
      for (Event event : part) {
        UUID id = Objects.requireNonNull(event.jobId());
        byJob.computeIfAbsent(id, _ -> new ArrayList<>()).add(event);
        after.put(id, event.seq());
      }
    } while (Event.mayBeFollowed(part, MAX_EVENTS));
    return byJob;
  }

  /**
   * Writes them in the order in which they came, so that their messages stand in that order, or has
   * the control plane do it that has the lead.
   *
   * @param wrong nothing said of a job means that it is not in its list, or more than once
   */
  @Override
  public void mend(Map<UUID, List<Difference>> wrong) {
    Collection<Job> known = outbox.states(wrong.keySet()).values();
    Set<UUID> unclaimed = unclaimed(known);
    Map<UUID, RedisFuture<String>> answers = new LinkedHashMap<>();
    RedisFuture<String> loaded = MEND.load(link.async());
    for (Job job : known) {
      List<Difference> differences = wrong.getOrDefault(job.id(), List.of());
      boolean isUnclaimed = unclaimed.contains(job.id());
      answers.put(job.id(), MEND.text(link.async(), mendArguments(job, differences, isUnclaimed)));
    }
    link.flush();
    RedisLink.await(loaded);
    RedisLink.awaitEach(answers);
    Map<UUID, String> jobs = new LinkedHashMap<>();
    wrong.keySet().forEach(id -> jobs.put(id, ""));
    mirror.forget();
    try {
      mirror.write(jobs, Set.of(), moment());
    } catch (LeadLostException e) {
      outbox.lookAgain(jobs.keySet());
    }
  }

  /**
   * Those of which Redis says that they were claimed and the store after that that they were not. A
   * claim is committed before it says so.
   */
  private Set<UUID> unclaimed(Collection<Job> jobs) {
    Map<UUID, RedisFuture<String>> entries = new HashMap<>();
    for (Job job : jobs) {
      String messages = Keys.messages(job.spec().queue());
      entries.put(job.id(), link.async().hget(messages, job.id().toString()));
    }
    link.flush();
    Map<UUID, String> marks = new HashMap<>();
    entries.forEach((id, answer) -> {
      String entry = mark(answer);
      if (entry.endsWith(" taken")) {
        marks.put(id, entry);
      }
    });
    Set<UUID> unclaimed = new HashSet<>();
    if (!marks.isEmpty()) {
      outbox.states(marks.keySet()).values().stream()
          .filter(
              job -> job.claimable() && (job.enqueueId() + " taken").equals(marks.get(job.id())))
          .forEach(job -> unclaimed.add(job.id()));
    }
    return unclaimed;
  }

  private static String mark(RedisFuture<String> answer) {
    try {
      return Objects.requireNonNullElse(RedisLink.await(answer), "");
    } catch (RedisCommandExecutionException e) {
      if (!RedisLink.isOfAnotherType(e)) {
        throw e;
      }
      return "";
    }
  }

  private static String[] mendArguments(
      Job job, List<Difference> differences, boolean isUnclaimed) {
    boolean isListed =
        differences.isEmpty() || has(differences, "queue:", "") || has(differences, Keys.TASK, "");
    String queue = job.spec().queue();
    return new String[] {
      job.id().toString(),
      queue,
      queue.equals(TaskRecord.QUEUE) && isListed ? "task" : "",
      has(differences, Keys.JOB, "between others") || has(differences, Keys.JOB, "later events")
          ? "anew"
          : "",
      isUnclaimed ? "unclaimed" : ""
    };
  }

  private static boolean has(List<Difference> differences, String key, String what) {
    return differences.stream()
        .anyMatch(one -> one.key().startsWith(key) && one.what().endsWith(what));
  }
}
