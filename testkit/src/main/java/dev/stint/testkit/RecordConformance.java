package dev.stint.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Attempt;
import dev.stint.engine.Cancel;
import dev.stint.engine.ClaimReceipt;
import dev.stint.engine.Event;
import dev.stint.engine.EventType;
import dev.stint.engine.IdempotencyKey;
import dev.stint.engine.Job;
import dev.stint.engine.JobContent;
import dev.stint.engine.JobIds;
import dev.stint.engine.JobSpec;
import dev.stint.engine.JobState;
import dev.stint.engine.LeasePolicy;
import dev.stint.engine.Needs;
import dev.stint.engine.OutputMark;
import dev.stint.engine.Progress;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Scope;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import dev.stint.engine.Times;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stores promise about what they keep. */
abstract class RecordConformance extends StoreFixture {
  /** Half of them are still as many as any store sends in a way of its own. */
  private static final int MANY = 520;

  private static final List<String> AWKWARD_TEXTS =
      List.of(
          "{}",
          "\"\"",
          "{ \"spaces\" :\t1.0e+5 ,\n \"dup\":1, \"dup\":2}",
          "{\"escapes\":\"\\u0041\\n\\\\\\\"\\/ \\ud83d\\ude00\"}",
          "{\"unicode\":\"äöü ßñ 漢字 😀 \u2028\"}",
          "['quotes' \"double\" `back` ; -- DROP TABLE job %s ? $1 {0}]",
          "12345678901234567890.123456789012345678901234567890");

  @Test
  public void everyFieldOfAJobComesBackAsItWasSaved() {
    Needs needs = new Needs(true, new TreeSet<>(Set.of("gpu", "a,b", "\"c\"", "ü")));
    Job job = saved(SampleJobs.withEveryField("the queue", needs));

    assertThat(load(job.id())).isEqualTo(job);
    assertThat(mapIn(transaction -> transaction.lock(List.of(job.id()))))
        .isEqualTo(Map.of(job.id(), job));
    reopen();
    assertThat(load(job.id())).isEqualTo(job);
  }

  @Test
  public void everyFieldOfALifeCanChange() {
    Job job = SampleJobs.withEveryField("q", Needs.NOTHING);
    Job fresh = saved(SampleJobs.pending(job.id(), "q", Needs.NOTHING, 0, 1));
    Job changed = withSpecOf(fresh, job);

    save(new ChangeSet().update(changed));
    assertThat(load(job.id())).isEqualTo(changed);

    save(new ChangeSet().update(fresh));
    assertThat(load(job.id())).isEqualTo(fresh);
  }

  /** A store may send what is alike in many rows another way than what is not. */
  @Test
  public void manyAtOnceAreKeptAsTheyAreHoweverMuchTheyAreAlike() {
    for (int round = 0; round < 18; round++) {
      Map<UUID, Job> jobs = new HashMap<>();
      ChangeSet arrivals = new ChangeSet();
      ChangeSet moves = new ChangeSet();
      for (int i = 0; i < MANY; i++) {
        int differs = round % 3 == 0 ? 0 : round % 3 == 1 ? i % 2 : i;
        Job job =
            SampleJobs.pending(JobIds.next(), "q" + differs, Needs.NOTHING, differs, 1 + differs);
        arrivals.arrive(job).event(event(job, "{\"n\":%d}".formatted(differs)));
        Job moved =
            i % 2 == round % 2
                ? SampleJobs.running(job, "w" + differs, 10, 20 + differs)
                : SampleJobs.ended(job, JobState.COMPLETED, 10 + differs, Times.NEVER);
        moves.update(moved).event(event(job, differs == 1 ? null : "{}"));
        moves.attempt(SampleJobs.completed(job.id(), 1, differs == 0 ? null : "{}"));
        jobs.put(job.id(), moved);
      }
      save(arrivals);
      save(moves);

      assertThat(store().jobs(jobs.keySet())).isEqualTo(jobs);
      for (UUID id : jobs.keySet().stream().limit(5).toList()) {
        assertThat(store().events(id, 0, 9)).hasSize(2).allMatch(one -> id.equals(one.jobId()));
        assertThat(store().attempts(id)).hasSize(1);
      }
    }
  }

  private static Event event(Job job, @Nullable String data) {
    return SampleJobs.event(job.id(), EventType.PROGRESS, JobState.RUNNING, data);
  }

  @Test
  public void theTimeThatDoesNotComeComesBackAsSuch() {
    JobSpec spec =
        new JobSpec(
            "q",
            Needs.NOTHING,
            0,
            1,
            Times.NEVER,
            Times.NEVER,
            0,
            RetryPolicy.attempts(1),
            LeasePolicy.OF_THE_CLAIMER);
    Job running = SampleJobs.running(SampleJobs.pending("q"), "w1", 1, 2);
    Job eternal = SampleJobs.alive(running, Progress.NONE, 1, Times.NEVER);
    Job job =
        new Job(
            JobIds.next(),
            spec,
            JobState.RUNNING,
            false,
            Times.NEVER,
            0,
            0,
            0,
            0,
            0,
            0,
            eternal.lease(),
            new Cancel("r", 1, Times.NEVER),
            Progress.NONE,
            null,
            0,
            1,
            Times.NEVER);
    saved(job);
    assertThat(load(job.id())).isEqualTo(job);
  }

  @Test
  public void aSignOfLifeChangesTheLeaseAndTheProgressAndNothingElse() {
    Job job = saved(SampleJobs.withEveryField("q", Needs.NOTHING));
    Job alive = SampleJobs.alive(job, new Progress(43, null, "STIRRING"), 5_000, 6_000);
    transact(transaction -> {
      transaction.lock(List.of(job.id()));
      transaction.save(new ChangeSet().update(alive).build());
      return true;
    });
    assertThat(load(job.id())).isEqualTo(alive);
  }

  @Test
  public void textsComeBackByteForByte() {
    String large = "{\"large\":\"" + "a\\n\\\"😀".repeat(25_000) + "\"}";
    for (String text : AWKWARD_TEXTS) {
      assertTextIsKept(text);
    }
    assertTextIsKept(large);
  }

  private void assertTextIsKept(String text) {
    Job job = SampleJobs.pending("q");
    JobContent content =
        new JobContent("lease", text, text, text, new Scope(text, text, text), text);
    Attempt attempt =
        new Attempt(
            job.id(),
            JobIds.next(),
            "t",
            "w",
            1,
            1,
            1,
            1,
            1,
            Attempt.End.COMPLETED,
            JobState.COMPLETED,
            text,
            text,
            text);
    save(
        new ChangeSet()
            .arrive(job, content, null)
            .attempt(attempt)
            .event(SampleJobs.event(job.id(), EventType.PROGRESS, JobState.RUNNING, text)));

    assertThat(store().find(job.id())).hasValue(new Store.JobView(job, content, attempt));
    assertThat(mapIn(transaction -> transaction.contents(List.of(job.id()))))
        .isEqualTo(Map.of(job.id(), content));
    assertThat(store().events(job.id(), 0, 1))
        .singleElement()
        .satisfies(event -> assertThat(event.data()).isEqualTo(text));
  }

  @Test
  public void attemptsComeOldestFirstAndAViewShowsTheNewest() {
    Job job = saved(SampleJobs.pending("q"));
    Job other = saved(SampleJobs.pending("q"));
    Attempt second = SampleJobs.completed(job.id(), 2, "[2]");
    Attempt tenth = SampleJobs.completed(job.id(), 10, null);
    Attempt others = SampleJobs.completed(other.id(), 1, "[1]");
    save(new ChangeSet().attempt(tenth).attempt(others));
    save(new ChangeSet().attempt(second));

    assertThat(store().attempts(job.id())).containsExactly(second, tenth);
    assertThat(store().find(job.id())).hasValue(new Store.JobView(job, SampleJobs.CONTENT, tenth));
    assertThat(mapIn(transaction -> transaction.attempts(List.of(job.id(), other.id()))))
        .isEqualTo(Map.of(job.id(), List.of(second, tenth), other.id(), List.of(others)));
  }

  @Test
  public void eventsComeInTheOrderTheyHappened() {
    Job job = saved(SampleJobs.pending("q"));
    Job other = saved(SampleJobs.pending("q"));
    ChangeSet changes = new ChangeSet();
    for (int i = 0; i < 20; i++) {
      changes
          .event(SampleJobs.event(job.id(), EventType.PROGRESS, JobState.RUNNING, "" + i))
          .event(SampleJobs.event(other.id(), EventType.PROGRESS, JobState.RUNNING, "x"));
    }
    save(changes);
    save(
        new ChangeSet()
            .event(
                new Event(
                    0,
                    job.id(),
                    5,
                    EventType.LATE_RESULT,
                    JobState.RUNNING,
                    JobState.LOST,
                    0,
                    null,
                    null,
                    null,
                    null)));

    List<Event> events = store().events(job.id(), 0, 100);
    assertThat(events).hasSize(21).extracting(Event::seq).isSorted().doesNotHaveDuplicates();
    assertThat(events.subList(0, 20)).extracting(Event::data).containsExactly(numbers(20));
    long seq = events.get(20).seq();
    assertThat(events.get(20))
        .isEqualTo(
            new Event(
                seq,
                job.id(),
                5,
                EventType.LATE_RESULT,
                JobState.RUNNING,
                JobState.LOST,
                0,
                null,
                null,
                null,
                null));
    assertThat(store().events(job.id(), events.get(17).seq(), 2)).isEqualTo(events.subList(18, 20));
  }

  private static String[] numbers(int count) {
    String[] numbers = new String[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = "" + i;
    }
    return numbers;
  }

  @Test
  public void theNumberOfARemovedEventIsNotGivenAgain() {
    Job first = saved(SampleJobs.pending("q"));
    save(new ChangeSet().event(submitted(first)));
    long seq = store().events(first.id(), 0, 1).getFirst().seq();
    save(new ChangeSet().remove(first.id()));

    Job second = saved(SampleJobs.pending("q"));
    save(new ChangeSet().event(submitted(second)));
    assertThat(store().events(second.id(), 0, 1).getFirst().seq()).isGreaterThan(seq);
  }

  @Test
  public void howFarTheOutputOfAJobHasComeIsKeptOnceAndGoesWithIt() {
    Job job = saved(SampleJobs.pending("q"));
    Job other = saved(SampleJobs.pending("q"));
    OutputMark first = new OutputMark(job.id(), 1, 10, 64);
    OutputMark second = new OutputMark(job.id(), 2, 5, 128);
    save(new ChangeSet().output(first));
    save(new ChangeSet().output(second).output(new OutputMark(other.id(), 1, 1, 64)));
    assertThat(outputMarks(job.id(), JobIds.next())).containsExactly(Map.entry(job.id(), second));
    save(new ChangeSet().remove(job.id()));
    assertThat(outputMarks(job.id(), other.id())).containsOnlyKeys(other.id());
  }

  private Map<UUID, OutputMark> outputMarks(UUID... jobIds) {
    return transact(transaction -> transaction.outputMarks(List.of(jobIds)));
  }

  @Test
  public void theOldestEventsOfProgressFadeAndTheNewestIsKnownByItsNumber() {
    Job job = saved(SampleJobs.pending("q"));
    Job other = saved(SampleJobs.pending("q"));
    for (EventType type :
        List.of(EventType.SUBMITTED, EventType.PROGRESS, EventType.OUTPUT, EventType.PROGRESS)) {
      save(
          new ChangeSet()
              .event(SampleJobs.event(job.id(), type, JobState.RUNNING, null))
              .event(SampleJobs.event(other.id(), type, JobState.RUNNING, null)));
    }
    save(
        new ChangeSet()
            .event(SampleJobs.event(job.id(), EventType.PROGRESS, JobState.RUNNING, null))
            .fade(job.id(), 2));
    List<Event> left = store().events(job.id(), 0, 10);
    assertThat(left)
        .extracting(Event::type)
        .containsExactly(EventType.SUBMITTED, EventType.OUTPUT, EventType.PROGRESS);
    assertThat(store().events(other.id(), 0, 10)).hasSize(4);
    assertThat(store().lastEventSeqs(List.of(job.id(), JobIds.next())))
        .containsExactly(Map.entry(job.id(), left.getLast().seq()));
  }

  @Test
  public void jobsAreReadManyAtOnce() {
    Job one = saved(SampleJobs.withEveryField("q", Needs.NOTHING));
    Job two = saved(SampleJobs.pending("q"));
    assertThat(store().jobs(List.of(one.id(), two.id(), JobIds.next())))
        .containsOnly(Map.entry(one.id(), one), Map.entry(two.id(), two));
  }

  @Test
  public void removingAJobRemovesAllThatBelongsToIt() {
    Job gone = SampleJobs.pending("q");
    Job stays = SampleJobs.pending("q");
    List.of(gone, stays).forEach(this::saveWithAllThatBelongsToIt);

    save(new ChangeSet().remove(gone.id()));

    assertThat(remainsOf(gone.id())).isZero();
    assertThat(remainsOf(stays.id())).isEqualTo(7);
    save(new ChangeSet().arrive(gone, SampleJobs.CONTENT, new IdempotencyKey("new", "h")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-", "----", "+-+", "-++-", "-+-+-+", "---++--+", "-++++++-"})
  public void jobsBetweenThoseThatGoStay(String which) {
    List<Job> jobs = new ArrayList<>();
    ChangeSet removal = new ChangeSet();
    for (int i = 0; i < which.length(); i++) {
      Job job = SampleJobs.pending("q");
      jobs.add(job);
      saveWithAllThatBelongsToIt(job);
      if (which.charAt(i) == '-') {
        removal.remove(job.id());
      }
    }

    save(removal.arrive(SampleJobs.pending("q")));

    for (int i = 0; i < which.length(); i++) {
      int remains = which.charAt(i) == '-' ? 0 : 7;
      assertThat(remainsOf(jobs.get(i).id())).as("job %d", i).isEqualTo(remains);
    }
  }

  private void saveWithAllThatBelongsToIt(Job job) {
    UUID id = job.id();
    save(
        new ChangeSet()
            .arrive(job, SampleJobs.CONTENT, new IdempotencyKey("key of " + id, "h"))
            .attempt(SampleJobs.completed(id, 1, "{}"))
            .event(submitted(job))
            .receipt(
                new ClaimReceipt(
                    new ClaimReceipt.Key("w1", id.toString()), id, 1, store().now() + 300_000)));
  }

  private int remainsOf(UUID id) {
    int outside =
        store().find(id).stream().toList().size()
            + store().events(id, 0, 9).size()
            + store().attempts(id).size();
    return outside
        + transact(transaction ->
            transaction.lockClaimable("q", Skills.NONE, 9).stream()
                    .filter(work -> work.job().id().equals(id))
                    .toList()
                    .size()
                + transaction.contents(List.of(id)).size()
                + transaction.keys(List.of("key of " + id)).size()
                + transaction.receipts(List.of(new ClaimReceipt.Key("w1", id.toString()))).size());
  }

  @Test
  public void openingAgainFindsAllThatWasKept() {
    Job job = SampleJobs.withEveryField("q", Needs.of(Set.of("gpu")));
    Job waiting = job("q", Needs.of(Set.of("gpu")), 0, 1);
    save(
        new ChangeSet()
            .arrive(job, SampleJobs.CONTENT, new IdempotencyKey("k", "h"))
            .arrive(waiting)
            .attempt(SampleJobs.completed(job.id(), 1, "{}"))
            .event(submitted(job))
            .tally("q", JobState.RUNNING, 1));
    var view = store().find(job.id());
    var events = store().events(job.id(), 0, 9);

    reopen();

    assertThat(store().find(job.id())).isEqualTo(view).isPresent();
    assertThat(store().events(job.id(), 0, 9)).isEqualTo(events).hasSize(1);
    assertThat(store().tally()).isEqualTo(Map.of(new Store.TallyKey("q", JobState.RUNNING), 1L));
    assertThat(claimable("q", new Skills(false, Set.of("gpu")), 9)).containsExactly(waiting.id());
    saved(job("q", Needs.of(Set.of("gpu")), 0, 2));
  }

  private static Event submitted(Job job) {
    return SampleJobs.event(job.id(), EventType.SUBMITTED, JobState.PENDING, null);
  }

  private static Job withSpecOf(Job spec, Job life) {
    return new Job(
        life.id(),
        spec.spec(),
        life.state(),
        life.claimable(),
        life.readyAt(),
        life.attempts(),
        life.failures(),
        life.losses(),
        life.fence(),
        life.enqueues(),
        life.returned(),
        life.lease(),
        life.cancel(),
        life.progress(),
        life.reason(),
        life.lateReports(),
        life.updatedAt(),
        life.dueAt());
  }
}
