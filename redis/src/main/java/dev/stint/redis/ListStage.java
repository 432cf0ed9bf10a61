package dev.stint.redis;

import dev.stint.contracts.workerapi.TaskRecord;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Outbox;
import dev.stint.engine.Store;
import dev.stint.engine.Times;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The three lists of worker-api: whether all that is in them belongs there, and whether as many
 * tasks are in {@code queue:pending} as wait. What else may be missing the jobs themselves tell.
 */
final class ListStage implements Stage<ListStage.Member> {
  private static final int PART = 1_000;
  private static final Set<JobState> WAITING = Set.of(JobState.PENDING, JobState.RETRYING);

  private static final Member ALL_PENDING = new Member(Keys.PENDING, "");
  private static final Map<String, String> TYPES =
      Map.of(Keys.PENDING, "list", Keys.PROCESSING, "zset", Keys.FAILED, "zset");

  private final Outbox outbox;
  private final RedisLink link;
  private final JobStage jobs;

  /** One task in one list; none stands for all of it. */
  record Member(String list, String id) {}

  ListStage(Outbox outbox, RedisLink link, JobStage jobs) {
    this.outbox = outbox;
    this.link = link;
    this.jobs = jobs;
  }

  @Override
  public Page<Member> page(@Nullable String place) {
    Set<Member> members = new HashSet<>();
    pending().forEach(id -> members.add(new Member(Keys.PENDING, id)));
    for (String list : List.of(Keys.PROCESSING, Keys.FAILED)) {
      members.add(new Member(list, ""));
      if (isOfAnotherType(list)) {
        continue;
      }
      long from = 0;
      List<String> part;
      do {
        part = link.sync().zrange(list, from, from + PART - 1);
        part.forEach(id -> members.add(new Member(list, id)));
        from += PART;
      } while (part.size() == PART);
    }
    members.add(ALL_PENDING);
    return new Page<>(List.copyOf(members), null);
  }

  private List<String> pending() {
    List<String> ids = new ArrayList<>();
    if (isOfAnotherType(Keys.PENDING)) {
      return ids;
    }
    List<String> part;
    do {
      part = link.sync().lrange(Keys.PENDING, ids.size(), ids.size() + PART - 1);
      ids.addAll(part);
    } while (part.size() == PART);
    return ids;
  }

  /** The lists that somebody else has made, who has to say what is to become of them. */
  private Set<String> othersLists() {
    return TYPES.keySet().stream().filter(this::isOfAnotherType).collect(Collectors.toSet());
  }

  private boolean isOfAnotherType(String list) {
    String type = link.sync().type(list);
    return !type.equals("none") && !type.equals(TYPES.get(list));
  }

  @Override
  public Map<Member, List<Difference>> look(Collection<Member> members) {
    Map<Member, List<Difference>> wrong = new LinkedHashMap<>();
    Set<String> others = othersLists();
    List<Member> all = new ArrayList<>();
    for (Member member : members) {
      String list = member.list();
      if (!member.id().isEmpty()) {
        all.add(member);
      } else if (others.contains(list)) {
        wrong.put(member, List.of(new Difference(list, Difference.OF_ANOTHER_TYPE)));
      }
    }
    all.removeIf(member -> others.contains(member.list()));
    for (int from = 0; from < all.size(); from += PART) {
      List<Member> part = all.subList(from, Math.min(from + PART, all.size()));
      Map<UUID, Job> found = outbox.states(ids(part));
      for (Member member : part) {
        if (!belongs(member, found) && isIn(member)) {
          wrong.put(member, List.of(new Difference(member.list(), "has " + member.id())));
        }
      }
    }
    if (members.contains(ALL_PENDING) && !others.contains(Keys.PENDING)) {
      long waiting = waiting();
      long listed = link.sync().llen(Keys.PENDING);
      if (listed != waiting) {
        String what = "has %d tasks, and %d wait".formatted(listed, waiting);
        wrong.put(ALL_PENDING, List.of(new Difference(Keys.PENDING, what)));
      }
    }
    return wrong;
  }

  private static Set<UUID> ids(Collection<Member> members) {
    Set<UUID> ids = new HashSet<>();
    for (Member member : members) {
      UUID id = KeyStage.uuid(member.id());
      if (id != null) {
        ids.add(id);
      }
    }
    return ids;
  }

  private static boolean belongs(Member member, Map<UUID, Job> found) {
    UUID id = KeyStage.uuid(member.id());
    Job job = id == null ? null : found.get(id);
    return job != null
        && job.spec().queue().equals(TaskRecord.QUEUE)
        && member.list().equals(list(job.state()));
  }

  private static String list(JobState state) {
    return switch (TaskRecord.place(state)) {
      case PENDING -> Keys.PENDING;
      case PROCESSING -> Keys.PROCESSING;
      case FAILED -> Keys.FAILED;
      case NONE -> "";
    };
  }

  private boolean isIn(Member member) {
    return member.list().equals(Keys.PENDING)
        ? link.sync().lpos(Keys.PENDING, member.id()) != null
        : link.sync().zscore(member.list(), member.id()) != null;
  }

  private long waiting() {
    long waiting = 0;
    Map<Store.TallyKey, Long> tally = outbox.tally();
    for (JobState state : WAITING) {
      waiting += tally.getOrDefault(new Store.TallyKey(TaskRecord.QUEUE, state), 0L);
    }
    return waiting;
  }

  @Override
  public void mend(Map<Member, List<Difference>> wrong) {
    Set<String> others = othersLists();
    for (Member member : wrong.keySet()) {
      if (others.contains(member.list())) {
        continue;
      }
      if (member.list().equals(Keys.PENDING)) {
        link.sync().lrem(Keys.PENDING, 0, member.id());
      } else {
        link.sync().zrem(member.list(), member.id());
      }
    }
    if (wrong.containsKey(ALL_PENDING) && !others.contains(Keys.PENDING)) {
      mendPending();
    }
  }

  /** Those that are not in it exactly once are put in anew. */
  private void mendPending() {
    Map<String, Integer> listed = new HashMap<>();
    pending().forEach(id -> listed.merge(id, 1, Integer::sum));
    Store.JobFilter waiting =
        new Store.JobFilter(WAITING, TaskRecord.QUEUE, null, null, 0, Times.NEVER, null);
    UUID before = null;
    do {
      Store.Page<Store.JobView, UUID> page = outbox.list(waiting, before, PART);
      Map<UUID, List<Difference>> lacking = new LinkedHashMap<>();
      for (Store.JobView view : page.items().reversed()) {
        if (listed.getOrDefault(view.job().id().toString(), 0) != 1) {
          lacking.put(view.job().id(), List.of());
        }
      }
      if (!lacking.isEmpty()) {
        jobs.mend(lacking);
      }
      before = page.next();
    } while (before != null);
  }
}
