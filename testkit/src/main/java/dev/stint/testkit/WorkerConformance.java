package dev.stint.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.stint.engine.Event;
import dev.stint.engine.EventType;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Needs;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import dev.stint.engine.Times;
import dev.stint.engine.Worker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What stores promise about workers, and about the lists that people look at. */
abstract class WorkerConformance extends ClaimConformance {
  private static final Store.JobFilter ALL_JOBS = Store.JobFilter.ALL;
  private static final Store.EventFilter ALL_EVENTS = new Store.EventFilter(null, null, null, null);

  @Test
  public void everyFieldOfAWorkerComesBackAsItWasSaved() {
    Worker worker =
        new Worker(
            "wörker \"1\"",
            new Skills(true, Set.of("gpu", "a\"b")),
            4,
            "hash",
            "its name",
            "token hash",
            true,
            1,
            2,
            3,
            4,
            "{\"cpu\": 0.5}",
            true,
            Times.NEVER,
            true);
    save(new ChangeSet().worker(worker));
    reopen();

    assertThat(store().worker(worker.id())).contains(worker);
    assertThat(mapIn(transaction -> transaction.lockWorkers(List.of(worker.id(), "other"))))
        .isEqualTo(Map.of(worker.id(), worker));
  }

  @Test
  public void aWorkerMayBeSeenAgainAndAgain() {
    Skills skills = new Skills(false, Set.of("gpu"));
    save(
        new ChangeSet()
            .seen("w2", Skills.NONE, 1)
            .seen("w1", new Skills(true, Set.of("gpu", "a\"b")), 2)
            .seen("w1", Skills.NONE, 3));
    save(new ChangeSet().seen("w1", skills, 5_000));
    save(new ChangeSet().seen("w1", null, 7_000).seen("unknown", null, 7_000));

    Worker seen = store().worker("w1").orElseThrow();
    assertThat(seen.skills()).isEqualTo(skills);
    assertThat(seen.firstSeen()).isEqualTo(3);
    assertThat(seen.lastSeen()).isEqualTo(7_000);
    assertThat(seen.online()).isTrue();
    assertThat(seen.dueAt()).isEqualTo(7_000 + ChangeSet.SILENCE_MS);
    assertThat(store().worker("unknown")).isEmpty();
  }

  @Test
  public void aSightingKeepsWhatTheWorkerRegisteredWith() {
    save(new ChangeSet().worker(worker("w", 10)));
    save(new ChangeSet().seen("w", Skills.NONE, 5_000));

    Worker seen = store().worker("w").orElseThrow();
    assertThat(seen.nonceHash()).isEqualTo("hash");
    assertThat(seen.registeredAt()).isEqualTo(3);
    assertThat(seen.lastSeen()).isEqualTo(5_000);
  }

  @Test
  public void workersWhoseTimeHasComeAreFoundAndCanBeForgotten() {
    save(new ChangeSet().worker(worker("early", 10)).worker(worker("late", Times.NEVER)));

    assertThat(listIn(transaction -> transaction.lockDueWorkers(10)))
        .extracting(Worker::id)
        .containsExactly("early");
    save(new ChangeSet().forget("early"));
    assertThat(store().worker("early")).isEmpty();
    assertThat(store().workers("", 10)).hasSize(1);
  }

  @Test
  public void workersAreListedWithWhatTheyHoldPageByPage() {
    Job held = saved(SampleJobs.running(SampleJobs.pending("q"), "b", 1, 60_000));
    for (String id : List.of("c", "a", "b")) {
      save(new ChangeSet().worker(worker(id, 10)));
    }

    assertThat(store().workers("", 2))
        .extracting(view -> view.worker().id(), Store.WorkerView::holds)
        .containsExactly(tuple("a", List.of()), tuple("b", List.of(held.id())));
    assertThat(store().workers("b", 2)).extracting(view -> view.worker().id()).containsExactly("c");
  }

  @Test
  public void workersThatAreThereAreCounted() {
    save(
        new ChangeSet()
            .seen("a", Skills.NONE, 1)
            .seen("b", Skills.NONE, 1)
            .seen("c", Skills.NONE, 1));
    save(new ChangeSet().worker(drained("d")));
    assertThat(store().workerCounts(10)).isEqualTo(new Store.WorkerCounts(4, 0, 1));
    assertThat(store().workerCounts(2).online()).isEqualTo(2);
  }

  @Test
  public void whatIsAgreedOnFirstStays() {
    assertThat(store().agree("secret", "one")).isEqualTo("one");
    assertThat(store().agree("secret", "two")).isEqualTo("one");
    reopen();
    assertThat(store().agree("secret", "three")).isEqualTo("one");
  }

  @Test
  public void jobsAreListedNewestFirstPageByPage() {
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ids.add(saved(job("q", Needs.NOTHING, 0, i)).id());
    }
    ids.sort(Comparator.comparing(UUID::toString).reversed()); // their time comes first in them

    Store.Page<Store.JobView, UUID> first = store().list(ALL_JOBS, null, 3);
    Store.Page<Store.JobView, UUID> second = store().list(ALL_JOBS, first.next(), 3);

    assertThat(idsOf(first)).isEqualTo(ids.subList(0, 3));
    assertThat(idsOf(second)).isEqualTo(ids.subList(3, 5));
    assertThat(second.next()).isNull();
  }

  @Test
  public void jobsAreListedByStateAndWorker() {
    Job waiting = saved(SampleJobs.pending("q"));
    Job held = saved(SampleJobs.running(SampleJobs.pending("q"), "w", 1, 60_000));
    Job done = saved(SampleJobs.pending("q"));
    save(
        new ChangeSet()
            .update(SampleJobs.ended(done, JobState.COMPLETED, 5, 10))
            .attempt(SampleJobs.completed(done.id(), 1, "{}")));
    String lastWorker = SampleJobs.completed(done.id(), 1, null).workerId();

    assertThat(idsOf(list(JobState.PENDING, null))).containsExactly(waiting.id());
    assertThat(idsOf(list(JobState.RUNNING, "w"))).containsExactly(held.id());
    assertThat(idsOf(list(null, lastWorker))).contains(done.id());
    assertThat(idsOf(list(JobState.COMPLETED, "w"))).doesNotContain(held.id());
    assertThat(list(JobState.COMPLETED, lastWorker).items())
        .extracting(Store.JobView::last)
        .doesNotContainNull();
  }

  @Test
  public void aListThatFindsNothingSaysWhereToGoOn() {
    ChangeSet many = new ChangeSet();
    for (int i = 0; i < 2_500; i++) {
      many.arrive(job("q", Needs.NOTHING, 0, i));
    }
    save(many);

    Store.Page<Store.JobView, UUID> page = list(JobState.FAILED, null);
    assertThat(page.items()).isEmpty();
    assertThat(page.next()).isNotNull();
    Store.Page<Store.JobView, UUID> last =
        store().list(Store.JobFilter.of(JobState.FAILED, null), page.next(), 10);
    assertThat(last.items()).isEmpty();
    assertThat(last.next()).isNull();
  }

  @Test
  public void eventsOfJobsAndWorkersAreToldNewestFirst() {
    Job job = saved(SampleJobs.pending("q"));
    save(
        new ChangeSet()
            .event(event(job.id(), EventType.SUBMITTED, null, "r1"))
            .event(event(null, EventType.WORKER_REGISTERED, "w", "r2"))
            .event(event(job.id(), EventType.LOST, "w", null)));

    assertThat(types(ALL_EVENTS))
        .containsExactly(EventType.LOST, EventType.WORKER_REGISTERED, EventType.SUBMITTED);
    assertThat(types(new Store.EventFilter(job.id(), null, null, null)))
        .containsExactly(EventType.LOST, EventType.SUBMITTED);
    assertThat(types(new Store.EventFilter(null, "w", null, null)))
        .containsExactly(EventType.LOST, EventType.WORKER_REGISTERED);
    assertThat(types(new Store.EventFilter(null, null, EventType.LOST, null)))
        .containsExactly(EventType.LOST);
    assertThat(types(new Store.EventFilter(null, null, null, true)))
        .containsExactly(EventType.LOST);
    assertThat(types(new Store.EventFilter(job.id(), "w", EventType.LOST, false))).isEmpty();

    Store.Page<Event, Long> first = store().history(ALL_EVENTS, Long.MAX_VALUE, 2);
    assertThat(store().history(ALL_EVENTS, first.next() == null ? 0 : first.next(), 2).items())
        .extracting(Event::type)
        .containsExactly(EventType.SUBMITTED);
  }

  @Test
  public void oldEventsOfWorkersGoWhenNewOnesCome() {
    Job job = saved(SampleJobs.pending("q"));
    save(
        new ChangeSet()
            .event(event(null, EventType.WORKER_REGISTERED, "old", null))
            .event(event(job.id(), EventType.SUBMITTED, null, null)));
    save(
        new ChangeSet()
            .event(event(null, EventType.WORKER_OFFLINE, "new", null))
            .eventsBefore(Long.MAX_VALUE / 2));
    // The new one is as old as the rest here, and may go as well.
    assertThat(types(ALL_EVENTS))
        .contains(EventType.SUBMITTED)
        .doesNotContain(EventType.WORKER_REGISTERED);
  }

  private Store.Page<Store.JobView, UUID> list(
      @Nullable JobState state, @Nullable String workerId) {
    return store().list(Store.JobFilter.of(state, workerId), null, 10);
  }

  private List<EventType> types(Store.EventFilter filter) {
    return store().history(filter, Long.MAX_VALUE, 10).items().stream().map(Event::type).toList();
  }

  private static List<UUID> idsOf(Store.Page<Store.JobView, UUID> page) {
    return page.items().stream().map(view -> view.job().id()).toList();
  }

  private static Worker worker(String id, long dueAt) {
    return new Worker(
        id, Skills.NONE, 1, "hash", null, null, false, 1, 2, 3, 0, null, true, dueAt, false);
  }

  private static Worker drained(String id) {
    return new Worker(id, Skills.NONE, 1, null, null, null, false, 1, 2, 3, 0, null, true, 4, true);
  }

  private static Event event(
      @Nullable UUID jobId, EventType type, @Nullable String workerId, @Nullable String requestId) {
    JobState state = jobId == null ? null : JobState.PENDING;
    return new Event(0, jobId, 1, type, null, state, 0, workerId, null, null, requestId);
  }
}
