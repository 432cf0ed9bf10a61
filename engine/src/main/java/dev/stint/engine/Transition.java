package dev.stint.engine;

import static dev.stint.engine.JobState.ABORTED;
import static dev.stint.engine.JobState.ASSIGNED;
import static dev.stint.engine.JobState.COMPLETED;
import static dev.stint.engine.JobState.FAILED;
import static dev.stint.engine.JobState.LOST;
import static dev.stint.engine.JobState.PENDING;
import static dev.stint.engine.JobState.RETRYING;
import static dev.stint.engine.JobState.RUNNING;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A legal move of a job: because of {@code why}, from one state ({@code null}: it did not exist) to
 * another. {@link #TABLE} holds all of them; {@code docs/states.md} is generated from it.
 */
public record Transition(EventType why, @Nullable JobState from, JobState to) {

  public static final List<Transition> TABLE =
      List.of(
          new Transition(EventType.SUBMITTED, null, PENDING),
          new Transition(EventType.ASSIGNED, PENDING, ASSIGNED),
          new Transition(EventType.CLAIMED, PENDING, RUNNING),
          new Transition(EventType.STARTED, ASSIGNED, RUNNING),
          new Transition(EventType.ASSIGNMENT_EXPIRED, ASSIGNED, PENDING),
          new Transition(EventType.RELEASED, ASSIGNED, PENDING),
          new Transition(EventType.RELEASED, RUNNING, PENDING),
          new Transition(EventType.COMPLETED, RUNNING, COMPLETED),
          new Transition(EventType.FAILED, RUNNING, FAILED),
          new Transition(EventType.RETRY_SCHEDULED, RUNNING, RETRYING),
          new Transition(EventType.LOST, RUNNING, LOST),
          new Transition(EventType.RECOVERED, LOST, RETRYING),
          new Transition(EventType.REQUEUED, RETRYING, PENDING),
          new Transition(EventType.EXHAUSTED, RETRYING, FAILED),
          new Transition(EventType.CANCELLED, PENDING, ABORTED),
          new Transition(EventType.CANCELLED, ASSIGNED, ABORTED),
          new Transition(EventType.CANCELLED, RUNNING, ABORTED),
          new Transition(EventType.CANCELLED, LOST, ABORTED),
          new Transition(EventType.CANCELLED, RETRYING, ABORTED),
          new Transition(EventType.CANCEL_TIMED_OUT, RUNNING, FAILED),
          new Transition(EventType.ABORTED, PENDING, ABORTED),
          new Transition(EventType.ABORTED, ASSIGNED, ABORTED),
          new Transition(EventType.ABORTED, RUNNING, ABORTED),
          new Transition(EventType.ABORTED, LOST, ABORTED),
          new Transition(EventType.ABORTED, RETRYING, ABORTED),
          new Transition(EventType.DEADLINE_EXCEEDED, PENDING, FAILED),
          new Transition(EventType.DEADLINE_EXCEEDED, ASSIGNED, FAILED),
          new Transition(EventType.DEADLINE_EXCEEDED, RUNNING, FAILED),
          new Transition(EventType.DEADLINE_EXCEEDED, LOST, FAILED),
          new Transition(EventType.DEADLINE_EXCEEDED, RETRYING, FAILED),
          new Transition(EventType.REPLAYED, FAILED, PENDING),
          new Transition(EventType.REPLAYED, ABORTED, PENDING));

  private static final Set<Transition> LEGAL = Set.copyOf(TABLE);

  /** The states out of which this moves a job. */
  public static Set<JobState> statesBefore(EventType why) {
    Set<JobState> states = EnumSet.noneOf(JobState.class);
    for (Transition move : TABLE) {
      if (move.why == why && move.from != null) {
        states.add(move.from);
      }
    }
    return states;
  }

  /** Whether the table has this move. */
  public boolean isLegal() {
    return LEGAL.contains(this);
  }
}
