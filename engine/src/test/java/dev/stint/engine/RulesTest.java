package dev.stint.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RulesTest {
  @AfterAll
  static void everyMoveOfTheTableWasVisited() {
    assertThat(Transition.TABLE).allMatch(move -> VisitedMoves.seen().contains(move));
    assertThat(VisitedMoves.seen()).allMatch(Transition::isLegal);
  }

  @Test
  void aSubmittedJobIsClaimableAtOnce() {
    Life life = Life.submitted();
    assertThat(life.job().state()).isEqualTo(JobState.PENDING);
    assertThat(life.job().claimable()).isTrue();
    assertThat(life.job().dueAt()).isEqualTo(Times.NEVER);
    assertThat(life.events).extracting(Event::type).containsExactly(EventType.SUBMITTED);
  }

  @Test
  void aScheduledJobBecomesClaimableWhenItsTimeComes() {
    Life life = Life.submitted(scheduled(1_005_000));
    assertThat(life.job().claimable()).isFalse();
    assertThat(life.job().dueAt()).isEqualTo(1_005_000);
    life.after(4_999).tick();
    assertThat(life.job().claimable()).isFalse();
    life.after(1).tick();
    assertThat(life.job().claimable()).isTrue();
    assertThat(life.events.getLast().type()).isEqualTo(EventType.DUE);
  }

  @Test
  void aClaimGivesALeaseAnAttemptAndAFence() {
    Life life = Life.submitted().claimedBy("w");
    assertThat(life.job().state()).isEqualTo(JobState.RUNNING);
    assertThat(life.lease().attempt()).isEqualTo(1);
    assertThat(life.lease().fence()).isEqualTo(1);
    assertThat(life.lease().until()).isEqualTo(life.now + Life.LEASE_MS);
    assertThat(life.job().dueAt()).isEqualTo(life.lease().until());
  }

  @Test
  void aJobsOwnLeaseTimesGoBeforeTheClaimers() {
    Life life =
        Life.submitted(
            new Command.Submit.Draft(
                "q",
                Needs.NOTHING,
                0,
                0,
                Times.NEVER,
                0,
                RetryPolicy.attempts(1),
                new LeasePolicy(9_000, 3_000, 0, 0)));
    life.claimedBy("w");
    assertThat(life.lease().until()).isEqualTo(life.now + 9_000);
    assertThat(life.lease().heartbeatIntervalMs()).isEqualTo(3_000);
  }

  @Test
  void completingEndsTheJobAndKeepsTheResult() {
    Life life = Life.submitted().claimedBy("w");
    assertThat(life.complete()).isEqualTo(new Outcome.Settled(life.id, JobState.COMPLETED, false));
    assertThat(life.job().lease()).isNull();
    assertThat(life.past.getLast().result()).isEqualTo("{\"ok\":true}");
    assertThat(life.job().dueAt()).isEqualTo(life.now + Life.RETENTION_MS);
  }

  @Test
  void repeatingTheCompletionAnswersAsTheFirstDid() {
    Life life = Life.submitted().claimedBy("w");
    Proof proof = life.proof();
    life.complete();
    int events = life.events.size();
    Outcome again = life.report(new Command.Complete(life.id, proof, "{\"other\":1}", null));
    assertThat(again).isEqualTo(new Outcome.Settled(life.id, JobState.COMPLETED, true));
    assertThat(life.events).hasSize(events);
    assertThat(life.past).hasSize(1);
  }

  @Test
  void repeatingAFailureAnswersAsTheFirstDidAlsoAfterAnotherAttemptBegan() {
    Life life = Life.submitted().claimedBy("w");
    Proof proof = life.proof();
    life.fail(true);
    life.after(60_000).settle().claimedBy("v");
    Outcome again = life.report(new Command.Fail(life.id, proof, true, "E", null, null));
    assertThat(again).isEqualTo(new Outcome.Settled(life.id, JobState.RETRYING, true));
    assertThat(life.job().state()).isEqualTo(JobState.RUNNING);
    assertThat(life.lease().workerId()).isEqualTo("v");
  }

  @Test
  void aStaleWorkerCannotCompleteAfterItsLeaseWasGivenAway() {
    Life life = Life.submitted().claimedBy("w");
    Proof stale = life.proof();
    life.after(Life.LEASE_MS).settle().claimedBy("v");
    Outcome outcome = life.report(new Command.Complete(life.id, stale, "{\"late\":1}", null));
    assertThat(outcome).isInstanceOf(Outcome.Stale.class);
    assertThat(life.lease().workerId()).isEqualTo("v");
    assertThat(life.events.getLast())
        .returns(EventType.LATE_RESULT, Event::type)
        .returns("w", Event::workerId)
        .returns("{\"late\":1}", Event::data);
  }

  @Test
  void aReportThatFitsNoAttemptIsRefusedAndNoted() {
    Life life = Life.submitted().claimedBy("w");
    int events = life.events.size();
    Lease lease = life.lease();
    for (Proof proof :
        List.of(
            new Proof("v", lease.attemptId(), lease.token(), null, null),
            new Proof("w", life.id, lease.token(), null, null),
            new Proof("w", lease.attemptId(), "guess", null, null),
            new Proof("w", lease.attemptId(), lease.token(), 2, null),
            new Proof("w", lease.attemptId(), lease.token(), null, 2L))) {
      assertThat(life.report(new Command.Complete(life.id, proof, null, null)))
          .isInstanceOf(Outcome.Stale.class);
    }
    assertThat(life.events.subList(events, life.events.size()))
        .extracting(Event::type, Event::workerId)
        .containsExactly(
            tuple(EventType.REPORT_REFUSED, "v"),
            tuple(EventType.REPORT_REFUSED, "w"),
            tuple(EventType.REPORT_REFUSED, "w"),
            tuple(EventType.REPORT_REFUSED, "w"),
            tuple(EventType.REPORT_REFUSED, "w"));
    assertThat(life.job().state()).isEqualTo(JobState.RUNNING);
    assertThat(life.lease()).isEqualTo(lease);
  }

  @Test
  void aWorkerThatNeverStopsReportingLateFillsNothing() {
    Life life = Life.submitted().claimedBy("w");
    Proof stale = life.proof();
    life.after(Life.LEASE_MS).settle();
    for (int i = 0; i < 3 * ReportRules.MAX_LATE_REPORTS; i++) {
      life.report(new Command.Heartbeat(life.id, stale, Progress.NONE));
    }
    assertThat(life.events.stream().filter(e -> e.type() == EventType.LATE_RESULT))
        .hasSize(ReportRules.MAX_LATE_REPORTS);
  }

  @Test
  void aHeartbeatExtendsTheLeaseAndLeavesTheDueTimeAlone() {
    Life life = Life.submitted().claimedBy("w");
    long due = life.job().dueAt();
    int events = life.events.size();
    life.after(20_000).heartbeat();
    assertThat(life.lease().until()).isEqualTo(life.now + Life.LEASE_MS);
    assertThat(life.job().dueAt()).isEqualTo(due);
    assertThat(life.events).hasSize(events);
    life.after(40_000).tick();
    assertThat(life.job().state()).isEqualTo(JobState.RUNNING);
    assertThat(life.job().dueAt()).isEqualTo(life.lease().until());
  }

  @Test
  void progressIsAnEventOnlyWhenItChanges() {
    Life life = Life.submitted().claimedBy("w");
    Progress half = new Progress(50, "half", "PROCESSING");
    life.report(new Command.Heartbeat(life.id, life.proof(), half));
    life.report(new Command.Heartbeat(life.id, life.proof(), half));
    assertThat(life.events.stream().filter(e -> e.type() == EventType.PROGRESS)).hasSize(1);
    assertThat(life.events.getLast().data())
        .isEqualTo("{\"percent\":50,\"status\":\"PROCESSING\"}");
    assertThat(life.job().progress()).isEqualTo(half.toldAgain());
  }

  @Test
  void aLostJobIsTriedAgainAndFailsWhenNoAttemptIsLeft() {
    Life life = Life.submitted(Life.draft(RetryPolicy.attempts(2))).claimedBy("w");
    life.after(Life.LEASE_MS).tick();
    assertThat(life.job().state()).isEqualTo(JobState.LOST);
    life.tick();
    assertThat(life.job().state()).isEqualTo(JobState.RETRYING);
    life.tick();
    assertThat(life.job().state()).isEqualTo(JobState.PENDING);
    assertThat(life.job().enqueueId()).endsWith(":2");
    life.claimedBy("v").after(Life.LEASE_MS).settle();
    assertThat(life.job().state()).isEqualTo(JobState.FAILED);
    assertThat(life.job().reason()).isEqualTo(Reasons.HEARTBEAT_TIMEOUT);
    assertThat(life.job().attempts()).isEqualTo(2);
    assertThat(life.job().fence()).isEqualTo(2);
  }

  @Test
  void aBudgetForLossesSparesTheRetries() {
    RetryPolicy oneTryThreeLosses = new RetryPolicy(1, 3, 0, 0);
    Life life = Life.submitted(Life.draft(oneTryThreeLosses));
    for (int loss = 0; loss < 3; loss++) {
      life.claimedBy("w").after(Life.LEASE_MS).settle();
      assertThat(life.job().state()).isEqualTo(JobState.PENDING);
    }
    life.claimedBy("w").after(Life.LEASE_MS).settle();
    assertThat(life.job().state()).isEqualTo(JobState.FAILED);
  }

  @Test
  void aLostJobMayHaveToWaitBeforeItIsTakenUpAgain() {
    Life life =
        Life.submitted(
            new Command.Submit.Draft(
                "q",
                Needs.NOTHING,
                0,
                0,
                Times.NEVER,
                0,
                RetryPolicy.attempts(3),
                new LeasePolicy(0, 0, 0, 10_000)));
    life.claimedBy("w").after(Life.LEASE_MS).settle();
    assertThat(life.job().state()).isEqualTo(JobState.LOST);
    life.after(9_999).settle();
    assertThat(life.job().state()).isEqualTo(JobState.LOST);
    life.after(1).settle();
    assertThat(life.job().state()).isEqualTo(JobState.PENDING);
  }

  @Test
  void aRetryableFailureWaitsItsBackoff() {
    Life life = Life.submitted().claimedBy("w");
    assertThat(life.fail(true)).isEqualTo(new Outcome.Settled(life.id, JobState.RETRYING, false));
    assertThat(life.job().readyAt()).isBetween(life.now + 500, life.now + 1_000);
    life.after(1_000).settle();
    assertThat(life.job().state()).isEqualTo(JobState.PENDING);
    assertThat(life.job().claimable()).isTrue();
  }

  @Test
  void aFinalFailureOrTheLastRetryableOneEndsInFailed() {
    Life once = Life.submitted().claimedBy("w");
    assertThat(once.fail(false)).isEqualTo(new Outcome.Settled(once.id, JobState.FAILED, false));
    Life last = Life.submitted(Life.draft(RetryPolicy.attempts(1))).claimedBy("w");
    assertThat(last.fail(true)).isEqualTo(new Outcome.Settled(last.id, JobState.FAILED, false));
    assertThat(last.job().reason()).isEqualTo("E");
  }

  @Test
  void backoffDoublesIsCappedAndJitteredByHalf() {
    RetryPolicy policy = new RetryPolicy(100, -1, 1_000, 60_000);
    for (int failures = 1; failures < 80; failures++) {
      long full = Math.min(60_000, 1_000L << Math.min(failures - 1, 20));
      for (long seed = -50; seed < 50; seed++) {
        assertThat(policy.backoffMs(failures, seed)).isBetween(full / 2, full);
      }
    }
    assertThat(policy.backoffMs(3, 1)).isNotEqualTo(policy.backoffMs(3, 2));
    assertThat(new RetryPolicy(2, -1, 0, 0).backoffMs(1, 7)).isZero();
  }

  @Test
  void anAssignmentNobodyAcknowledgesGoesBackWithoutUsingUpAnAttempt() {
    Life life = Life.submitted(Life.draft(RetryPolicy.attempts(1))).assignedTo("w");
    Proof stale = life.proof();
    assertThat(life.job().state()).isEqualTo(JobState.ASSIGNED);
    life.after(Life.ASSIGNMENT_MS).settle();
    assertThat(life.job().state()).isEqualTo(JobState.PENDING);
    assertThat(life.job().attempts()).isZero();
    life.assignedTo("v");
    assertThat(life.lease().attempt()).isEqualTo(1);
    assertThat(life.lease().fence()).isEqualTo(2);
    assertThat(life.report(new Command.Start(life.id, stale))).isInstanceOf(Outcome.Stale.class);
  }

  @Test
  void acknowledgingStartsTheLeaseAndMayBeRepeated() {
    Life life = Life.submitted().assignedTo("w");
    life.after(10_000);
    assertThat(life.report(new Command.Start(life.id, life.proof())))
        .isInstanceOf(Outcome.Held.class);
    assertThat(life.job().state()).isEqualTo(JobState.RUNNING);
    assertThat(life.lease().until()).isEqualTo(life.now + Life.LEASE_MS);
    int events = life.events.size();
    assertThat(life.report(new Command.Start(life.id, life.proof())))
        .isInstanceOf(Outcome.Held.class);
    assertThat(life.events).hasSize(events);
  }

  @Test
  void aReportFromAnUnacknowledgedHolderStartsItFirst() {
    Life completes = Life.submitted().assignedTo("w");
    completes.complete();
    assertThat(completes.events)
        .extracting(Event::type)
        .containsExactly(
            EventType.SUBMITTED, EventType.ASSIGNED, EventType.STARTED, EventType.COMPLETED);
    Life beats = Life.submitted().assignedTo("w");
    beats.heartbeat();
    assertThat(beats.job().state()).isEqualTo(JobState.RUNNING);
    assertThat(beats.job().dueAt()).isEqualTo(beats.lease().until());
  }

  @Test
  void aJobThatIsGivenBackAgainAndAgainRestsLongerAndLonger() {
    Life life = Life.submitted();
    for (int i = 0; i < ReportRules.FREE_RELEASES; i++) {
      life.claimedBy("w").report(new Command.Release(life.id, life.proof()));
      assertThat(life.job().claimable()).isTrue();
    }
    long before = 0;
    for (int i = 0; i < 3; i++) {
      life.claimedBy("w").report(new Command.Release(life.id, life.proof()));
      assertThat(life.job().claimable()).isFalse();
      assertThat(life.job().readyAt() - life.now).isGreaterThan(before).isLessThanOrEqualTo(60_000);
      before = life.job().readyAt() - life.now;
      life.after(before).settle();
      assertThat(life.job().claimable()).isTrue();
    }
    assertThat(life.job().attempts()).isZero();
  }

  @Test
  void aReplayedJobThatIsGivenBackRestsAsLittleAsANewOne() {
    Life life = Life.submitted();
    for (int i = 0; i < ReportRules.FREE_RELEASES; i++) {
      life.claimedBy("w").report(new Command.Release(life.id, life.proof()));
    }
    life.assignedTo("w").after(Life.ASSIGNMENT_MS).settle();
    life.abort();
    life.replay(0);
    life.claimedBy("w").report(new Command.Release(life.id, life.proof()));
    assertThat(life.job().claimable()).isTrue();
    assertThat(life.job().returned()).isEqualTo(1);
  }

  @Test
  void aReleasedJobIsClaimableAtOnceAndHasUsedUpNoAttempt() {
    Life life = Life.submitted().claimedBy("w");
    Proof proof = life.proof();
    life.report(new Command.Release(life.id, proof));
    assertThat(life.job().claimable()).isTrue();
    assertThat(life.job().attempts()).isZero();
    assertThat(life.report(new Command.Release(life.id, proof)))
        .isEqualTo(new Outcome.Settled(life.id, JobState.PENDING, true));
    life.assignedTo("v").report(new Command.Release(life.id, life.proof()));
    assertThat(life.job().claimable()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = JobState.class,
      names = {"PENDING", "ASSIGNED", "LOST", "RETRYING"})
  void aJobThatDoesNotRunIsCancelledAtOnce(JobState state) {
    Life life = lifeIn(state);
    assertThat(life.cancel()).isInstanceOf(Outcome.Ended.class);
    assertThat(life.job().state()).isEqualTo(JobState.ABORTED);
    assertThat(life.job().reason()).isEqualTo("why");
    assertThat(life.cancel()).isInstanceOf(Outcome.AlreadyTerminal.class);
  }

  @ParameterizedTest
  @EnumSource(
      value = JobState.class,
      names = {"PENDING", "ASSIGNED", "RUNNING", "LOST", "RETRYING"})
  void abortEndsAtOnce(JobState state) {
    Life life = lifeIn(state);
    assertThat(life.abort()).isInstanceOf(Outcome.Ended.class);
    assertThat(life.job().state()).isEqualTo(JobState.ABORTED);
    assertThat(life.job().lease()).isNull();
    assertThat(life.abort()).isInstanceOf(Outcome.AlreadyTerminal.class);
  }

  @ParameterizedTest
  @EnumSource(
      value = JobState.class,
      names = {"PENDING", "ASSIGNED", "RUNNING", "LOST", "RETRYING"})
  void pastItsDeadlineAJobFailsWithTimeout(JobState state) {
    Life life = lifeIn(state);
    Job job = life.job();
    JobSpec s = job.spec();
    JobSpec withDeadline =
        new JobSpec(
            s.queue(),
            s.needs(),
            s.priority(),
            s.createdAt(),
            s.notBefore(),
            life.now,
            0,
            s.retry(),
            s.lease());
    life.current =
        new Job(
            job.id(),
            withDeadline,
            job.state(),
            job.claimable(),
            job.readyAt(),
            job.attempts(),
            job.failures(),
            job.losses(),
            job.fence(),
            job.enqueues(),
            job.returned(),
            job.lease(),
            job.cancel(),
            job.progress(),
            job.reason(),
            job.lateReports(),
            job.updatedAt(),
            life.now);
    assertThat(life.rules.time.forbidsClaim(life.job(), life.now)).isTrue();
    life.settle();
    assertThat(life.job().state()).isEqualTo(JobState.FAILED);
    assertThat(life.job().reason()).isEqualTo(Reasons.TIMEOUT);
  }

  @Test
  void aRunningJobIsAskedToStopAndFailsWhenItDoesNot() {
    Life life = Life.submitted().claimedBy("w");
    assertThat(life.cancel()).isInstanceOf(Outcome.CancelAsked.class);
    assertThat(life.heartbeat())
        .isInstanceOfSatisfying(
            Outcome.Held.class, held -> assertThat(held.job().cancel()).isNotNull());
    life.after(20_000);
    assertThat(life.cancel())
        .isInstanceOfSatisfying(
            Outcome.CancelAsked.class,
            asked ->
                assertThat(requireNonNull(asked.job().cancel()).graceUntil())
                    .isEqualTo(life.now + 10_000));
    life.after(10_000).settle();
    assertThat(life.job().state()).isEqualTo(JobState.FAILED);
    assertThat(life.job().reason()).isEqualTo(Reasons.CANCEL_TIMEOUT);
  }

  @Test
  void aWorkerThatWasAskedAndFailsEndsTheJobAsAborted() {
    Life life = Life.submitted().claimedBy("w");
    life.cancel();
    assertThat(life.fail(true)).isEqualTo(new Outcome.Settled(life.id, JobState.ABORTED, false));
    Life gaveBack = Life.submitted().claimedBy("w");
    gaveBack.cancel();
    gaveBack.report(new Command.Release(gaveBack.id, gaveBack.proof()));
    assertThat(gaveBack.job().state()).isEqualTo(JobState.ABORTED);
  }

  @Test
  void aWorkerThatWasAskedAndSucceedsWasFaster() {
    Life life = Life.submitted().claimedBy("w");
    life.cancel();
    assertThat(life.complete()).isEqualTo(new Outcome.Settled(life.id, JobState.COMPLETED, false));
  }

  @Test
  void aJobThatWasAskedToStopAndLosesItsWorkerIsNotTriedAgain() {
    Life life = Life.submitted().claimedBy("w");
    life.after(Life.LEASE_MS - 1_000);
    life.cancel();
    life.after(1_000).settle();
    assertThat(life.job().state()).isEqualTo(JobState.ABORTED);
  }

  @Test
  void aTerminalJobIsRemovedWhenItsRetentionIsOver() {
    Life life = Life.submitted().claimedBy("w");
    life.complete();
    life.after(Life.RETENTION_MS - 1).settle();
    assertThat(life.current).isNotNull();
    life.after(1).settle();
    assertThat(life.current).isNull();
  }

  @Test
  void aTtlDoesNotCountWhileTheJobMayNotStart() {
    Life life = Life.submitted(scheduled(1_000_000 + 7_200_000, 50_000));
    life.after(7_199_999).settle();
    assertThat(life.job().claimable()).isFalse();
    life.after(1).settle();
    assertThat(life.job().claimable()).isTrue();
    life.after(49_999).settle();
    assertThat(life.job().state()).isEqualTo(JobState.PENDING);
    life.after(1).settle();
    assertThat(life.current).isNull();
  }

  @Test
  void aTtlCountsFromTheLastUpdateAndRemovesTheJobInAnyState() {
    Life life =
        Life.submitted(
            new Command.Submit.Draft(
                "q",
                Needs.NOTHING,
                0,
                0,
                Times.NEVER,
                50_000,
                RetryPolicy.attempts(3),
                LeasePolicy.OF_THE_CLAIMER));
    assertThat(life.job().dueAt()).isEqualTo(life.now + 50_000);
    life.after(40_000).claimedBy("w").after(40_000).heartbeat();
    life.after(49_999).settle();
    assertThat(life.current).isNotNull();
    assertThat(life.job().isExpired(life.now)).isFalse();
    life.after(1);
    assertThat(life.job().isExpired(life.now)).isTrue();
    life.settle();
    assertThat(life.current).isNull();
  }

  @Test
  void aFailedJobCanBeReplayedWithAFreshBudgetAndAFenceThatGoesOn() {
    Life life = Life.submitted(Life.draft(RetryPolicy.attempts(2))).claimedBy("w");
    Proof first = life.proof();
    life.fail(true);
    life.after(60_000).settle().claimedBy("w");
    life.fail(true);
    assertThat(life.job().state()).isEqualTo(JobState.FAILED);

    Outcome.OfReplay outcome = life.replay(0);

    assertThat(outcome).isEqualTo(new Outcome.Revived(life.job()));
    assertThat(life.job().claimable()).isTrue();
    assertThat(life.job().failures()).isZero();
    assertThat(life.job().attempts()).isZero();
    assertThat(life.job().reason()).isNull();
    assertThat(life.job().enqueues()).isEqualTo(3);
    assertThat(life.events.getLast().type()).isEqualTo(EventType.REPLAYED);
    life.claimedBy("v");
    assertThat(life.lease().attempt()).isEqualTo(1);
    assertThat(life.lease().fence()).isEqualTo(3);
    assertThat(life.report(new Command.Complete(life.id, first, "{}", null)))
        .isInstanceOf(Outcome.Stale.class);
    life.fail(true);
    assertThat(life.job().state()).isEqualTo(JobState.RETRYING);
  }

  @Test
  void anAbortedJobCanBeReplayedAndIsNoLongerAskedToStop() {
    Life life = Life.submitted().claimedBy("w");
    life.cancel();
    life.fail(false);
    assertThat(life.job().state()).isEqualTo(JobState.ABORTED);
    life.replay(0);
    assertThat(life.job().cancel()).isNull();
    life.claimedBy("v").complete();
    assertThat(life.job().state()).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void aReplayMayBeginLater() {
    Life life = Life.submitted();
    life.abort();
    life.replay(5_000);
    assertThat(life.job().claimable()).isFalse();
    assertThat(life.job().dueAt()).isEqualTo(life.now + 5_000);
    life.after(5_000).settle();
    assertThat(life.job().claimable()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      names = {"FAILED", "ABORTED", "COMPLETED"},
      mode = EnumSource.Mode.EXCLUDE)
  void whatHasNotEndedIsNotReplayed(JobState state) {
    Life life = lifeIn(state);
    Job before = life.job();
    assertThat(life.replay(0)).isEqualTo(new Outcome.NotRevivable(before));
    assertThat(life.job()).isEqualTo(before);
  }

  @Test
  void whatHasCompletedOrIsPastItsDeadlineIsNotReplayed() {
    Life done = Life.submitted().claimedBy("w");
    done.complete();
    assertThat(done.replay(0)).isInstanceOf(Outcome.NotRevivable.class);
    Life late =
        Life.submitted(
            new Command.Submit.Draft(
                "q",
                Needs.NOTHING,
                0,
                0,
                1_001_000,
                0,
                RetryPolicy.attempts(3),
                LeasePolicy.OF_THE_CLAIMER));
    late.after(1_000).settle();
    assertThat(late.job().state()).isEqualTo(JobState.FAILED);
    assertThat(late.replay(0)).isInstanceOf(Outcome.NotRevivable.class);
  }

  @Test
  void aMoveThatTheTableDoesNotHaveIsABug() {
    Life life = Life.submitted();
    assertThatThrownBy(() ->
            new Revision(life.job(), life.now).move(EventType.COMPLETED, JobState.COMPLETED, null))
        .isInstanceOf(IllegalStateException.class);
  }

  private static Command.Submit.Draft scheduled(long notBefore) {
    return scheduled(notBefore, 0);
  }

  private static Command.Submit.Draft scheduled(long notBefore, long ttlMs) {
    return new Command.Submit.Draft(
        "q",
        Needs.NOTHING,
        0,
        notBefore,
        Times.NEVER,
        ttlMs,
        RetryPolicy.attempts(3),
        LeasePolicy.OF_THE_CLAIMER);
  }

  private static Life lifeIn(JobState state) {
    Life life = Life.submitted();
    switch (state) {
      case PENDING -> {}
      case ASSIGNED -> life.assignedTo("w");
      case RUNNING -> life.claimedBy("w");
      case LOST -> life.claimedBy("w").after(Life.LEASE_MS).tick();
      case RETRYING -> life.claimedBy("w").fail(true);
      case COMPLETED, FAILED, ABORTED -> throw new IllegalArgumentException();
    }
    assertThat(life.job().state()).isEqualTo(state);
    return life;
  }
}
