package dev.stint.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Event;
import dev.stint.engine.EventType;
import dev.stint.engine.IdempotencyKey;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Needs;
import dev.stint.engine.Store;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What stores promise to a mirror of the jobs. */
abstract class OutboxConformance extends OperatorConformance {
  @Test
  public void notesAreKeptInTheirOrderUntilTheyAreRelayed() {
    UUID id = UUID.randomUUID();
    save(
        new ChangeSet()
            .note(new Store.Note(0, 5, id, null, null))
            .note(new Store.Note(0, 6, id, null, "q ü")));
    save(
        new ChangeSet()
            .note(new Store.Note(0, 7, null, "w", null))
            .note(new Store.Note(0, 8, null, null, "q")));
    reopen();

    List<Store.Note> notes = store().notes(0, 10);
    assertThat(notes)
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("seq")
        .containsExactly(
            new Store.Note(0, 5, id, null, null),
            new Store.Note(0, 6, id, null, "q ü"),
            new Store.Note(0, 7, null, "w", null),
            new Store.Note(0, 8, null, null, "q"));
    assertThat(notes).extracting(Store.Note::seq).isSorted().doesNotHaveDuplicates();
    assertThat(store().notes(0, 1)).containsExactly(notes.getFirst());
    assertThat(store().notes(notes.get(1).seq(), 2)).containsExactlyElementsOf(notes.subList(1, 3));
    assertThat(store().notes(notes.getLast().seq() + 1, 10)).isEmpty();

    save(new ChangeSet().relayed(notes.get(0).seq(), notes.get(1).seq()));
    save(new ChangeSet().relayed(notes.get(3).seq(), notes.get(3).seq()));
    assertThat(store().notes(0, 10)).containsExactly(notes.get(2));
  }

  @Test
  public void theNumberOfANoteIsNeverGivenAgain() {
    save(new ChangeSet().note(new Store.Note(0, 5, null, null, "q")));
    long first = store().notes(0, 1).getFirst().seq();
    save(new ChangeSet().relayed(first, first));
    reopen();
    save(new ChangeSet().note(new Store.Note(0, 6, null, null, "q")));

    assertThat(store().notes(0, 1).getFirst().seq()).isGreaterThan(first);
  }

  @Test
  public void aLeadLastsUntilAnotherOneBegins() {
    String first = UUID.randomUUID().toString();
    String second = UUID.randomUUID().toString();
    store().lead(first);
    assertThat(store().leads(first)).isTrue();
    assertThat(leadsWithin(first)).isTrue();
    reopen();
    assertThat(store().leads(first)).isTrue();

    store().lead(second);
    assertThat(store().leads(second)).isTrue();
    assertThat(store().leads(first)).isNotEqualTo(store().isShared());
    assertThat(leadsWithin(first)).isNotEqualTo(store().isShared());
    assertThat(leadsWithin(second)).isTrue();
  }

  private boolean leadsWithin(String lead) {
    return store().transact(transaction -> transaction.leads(lead));
  }

  @Test
  public void aLeadBeginsWhenNoTransactionCountsOnTheOneBefore() throws Exception {
    if (!store().isShared()) {
      return;
    }
    String first = UUID.randomUUID().toString();
    String second = UUID.randomUUID().toString();
    store().lead(first);
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      AtomicReference<Future<?>> begins = new AtomicReference<>();
      boolean isDone =
          store()
              .transact(transaction -> {
                assertThat(transaction.leads(first)).isTrue();
                begins.set(other.submit(() -> store().lead(second)));
                // Whoever asks while another one is about to begin cannot count on it.
                while (leadsWithin(first)) {
                  Thread.onSpinWait();
                }
                assertThat(store().leads(first)).isTrue();
                return begins.get().isDone();
              });
      assertThat(isDone).isFalse();
      begins.get().get(10, TimeUnit.SECONDS);
      assertThat(store().leads(first)).isFalse();
      assertThat(store().leads(second)).isTrue();
    }
  }

  @Test
  public void whoHasTheLeadLearnsTheNumbersOfEvents() {
    String lead = UUID.randomUUID().toString();
    store().lead(lead);
    List<Job> jobs = inIdOrder(3);
    jobs.forEach(this::saved);
    ChangeSet changes = new ChangeSet();
    List<UUID> order = new ArrayList<>();
    for (Job job : List.of(jobs.get(2), jobs.get(0), jobs.get(1), jobs.get(0))) {
      changes.event(SampleJobs.event(job.id(), EventType.SUBMITTED, JobState.PENDING, null));
      order.add(job.id());
    }

    List<Long> seqs =
        store()
            .transact(transaction -> {
              assertThat(transaction.leads(lead)).isTrue();
              transaction.save(changes.build());
              return transaction.eventSeqs();
            });
    assertThat(seqs).hasSize(4).isSorted();
    for (int i = 0; i < order.size(); i++) {
      UUID id = order.get(i);
      assertThat(store().events(id, 0, 10)).extracting(Event::seq).contains(seqs.get(i));
    }
    List<Long> none =
        store()
            .transact(transaction -> {
              transaction.leads(lead);
              transaction.save(new ChangeSet().build());
              return transaction.eventSeqs();
            });
    assertThat(none).isEmpty();
  }

  @Test
  public void aMirrorReadsManyJobsAtOnce() {
    List<Job> jobs = new ArrayList<>();
    for (Job job : inIdOrder(5)) {
      save(
          new ChangeSet()
              .arrive(
                  job, SampleJobs.CONTENT, jobs.size() == 2 ? new IdempotencyKey("k", "h") : null));
      jobs.add(job);
    }

    assertThat(store().mirrored(List.of(jobs.get(4).id(), jobs.get(2).id(), UUID.randomUUID())))
        .containsExactlyInAnyOrder(mirrored(jobs.get(4), false), mirrored(jobs.get(2), true));
    List<UUID> ids = jobs.stream().map(Job::id).toList();
    assertThat(store().jobsAfter(null, 3)).isEqualTo(ids.subList(0, 3));
    assertThat(store().jobsAfter(ids.get(2), 3)).isEqualTo(ids.subList(3, 5));
  }

  private static List<Job> inIdOrder(int count) {
    List<Job> jobs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      jobs.add(job("q", Needs.NOTHING, 0, i));
    }
    jobs.sort(Comparator.comparing(job -> job.id().toString()));
    return jobs;
  }

  @Test
  public void onlyJobsThatEverybodyCanDoAreListedAsSuch() {
    Job late = saved(job("q", Needs.NOTHING, 0, 9));
    Job early = saved(job("q", new Needs(true, Needs.NOTHING.requirements()), 0, 5));
    Job urgent = saved(job("q", Needs.NOTHING, 7, 9));
    saved(job("q", Needs.of(Set.of("gpu")), 9, 1));
    saved(job("q", new Needs(false, Needs.NOTHING.requirements(), "t", null, null), 9, 1));
    saved(job("q", Needs.delivery("http://x"), 9, 1));
    saved(job("other", Needs.NOTHING, 9, 1));

    assertThat(store().claimableByAll("q", 10)).containsExactly(urgent.id(), early.id(), late.id());
    assertThat(store().claimableByAll("q", 1)).containsExactly(urgent.id());
  }

  private static Store.Mirrored mirrored(Job job, boolean hasKey) {
    return new Store.Mirrored(
        new Store.JobView(job, SampleJobs.CONTENT, null), hasKey ? "k" : null);
  }

  @Test
  public void aMirrorReadsTheEventsOfManyJobsEachFromItsOwnPlaceOn() {
    List<Job> jobs = inIdOrder(3);
    jobs.forEach(this::saved);
    Job first = jobs.get(0);
    Job second = jobs.get(1);
    Job third = jobs.get(2);
    for (Job job : List.of(second, first, third, first, second)) {
      save(
          new ChangeSet()
              .event(SampleJobs.event(job.id(), EventType.SUBMITTED, JobState.PENDING, null)));
    }
    long known = store().events(first.id(), 0, 1).getFirst().seq();

    List<Event> events = store().eventsAfter(Map.of(first.id(), known, second.id(), 0L), 10);
    assertThat(events)
        .extracting(Event::jobId)
        .containsExactly(first.id(), second.id(), second.id());
    assertThat(events.getFirst().seq()).isGreaterThan(known);
    assertThat(events.get(1).seq()).isLessThan(events.get(2).seq());
    assertThat(store().eventsAfter(Map.of(first.id(), known, second.id(), 0L), 2))
        .isEqualTo(events.subList(0, 2));
  }

  @Test
  public void whatAMirrorReadsOfEventsEndsWhereItHasBecomeLong() {
    List<Job> jobs = inIdOrder(2);
    jobs.forEach(this::saved);
    Map<UUID, Long> places = new HashMap<>();
    for (Job job : jobs) {
      places.put(job.id(), 0L);
      for (int chars : List.of(3_000_000, 3_000_000, 10)) {
        String data = "\"" + "x".repeat(chars) + "\"";
        save(
            new ChangeSet()
                .event(SampleJobs.event(job.id(), EventType.SUBMITTED, JobState.PENDING, data)));
      }
    }

    List<Integer> sizes = new ArrayList<>();
    List<Event> page;
    do {
      page = store().eventsAfter(places, 100);
      page.forEach(event -> places.put(event.jobId(), event.seq()));
      sizes.add(page.size());
    } while (Event.mayBeFollowed(page, 100));
    assertThat(sizes).containsExactly(2, 3, 1);
  }
}
