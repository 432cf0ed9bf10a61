package dev.stint.contracts.operator;

import dev.stint.contracts.JobJson;
import dev.stint.contracts.Refusal;
import dev.stint.engine.Explanation;
import dev.stint.engine.Explanation.Lack;
import dev.stint.engine.Explanation.Reason;
import dev.stint.engine.JobState;
import dev.stint.engine.Needs;
import dev.stint.engine.Times;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** This contract's words: the engine's states, and why a job is where it is in one sentence. */
final class Words {
  private static final int MOST_NAMED = 3;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private Words() {}

  /** The states that words with commas between them stand for: ours, or those that jobs show. */
  static Set<JobState> states(@Nullable String words) {
    Set<JobState> states = EnumSet.noneOf(JobState.class);
    if (words != null) {
      for (String word : words.split(",", -1)) {
        states.addAll(statesOf(word));
      }
    }
    return states;
  }

  private static Set<JobState> statesOf(String word) {
    Set<JobState> states = EnumSet.noneOf(JobState.class);
    for (JobState state : JobState.values()) {
      if (state.name().equalsIgnoreCase(word) || JobJson.status(state).equals(word)) {
        states.add(state);
      }
    }
    if (states.isEmpty()) {
      throw Refusal.invalid(
          "status",
          "must be one of "
              + EnumSet.allOf(JobState.class).stream()
                  .map(JobState::name)
                  .collect(Collectors.joining(", "))
              + ", or queued, running, done, error, canceled;"
              + " or several of them with commas between them");
    }
    return states;
  }

  static String code(Reason reason) {
    return switch (reason) {
      case Explanation.NotBefore _ -> "not_before";
      case Explanation.QueuePaused _ -> "queue_paused";
      case Explanation.NoWorkerEver _ -> "no_worker_ever";
      case Explanation.NoWorkerMatches _ -> "no_worker_matches";
      case Explanation.WorkersBusy _ -> "workers_busy";
      case Explanation.WorkersDraining _ -> "workers_draining";
      case Explanation.Backoff _ -> "backoff";
      case Explanation.Exhausted _ -> "exhausted";
      case Explanation.Held _ -> "held";
      case Explanation.CancelRequested _ -> "cancel_requested";
      case Explanation.BehindOthers _ -> "behind_others";
      case Explanation.Delivery _ -> "delivery";
      case Explanation.Claimable _ -> "claimable";
      case Explanation.Finished _ -> "finished";
    };
  }

  static String sentence(Reason reason) {
    return switch (reason) {
      case Explanation.NotBefore early -> "It may not start before " + time(early.at()) + ".";
      case Explanation.QueuePaused paused ->
          "Queue "
              + paused.pause().queue()
              + " is paused since "
              + time(paused.pause().since())
              + because(paused.pause().reason())
              + ".";
      case Explanation.NoWorkerEver none ->
          none.lacks().isEmpty()
              ? "No worker has ever come; start one."
              : "None of the workers that are known could ever run it: "
                  + lacks(none.lacks())
                  + ".";
      case Explanation.NoWorkerMatches none -> noMatch(none);
      case Explanation.WorkersBusy busy ->
          busy.count() == 1
              ? "The one worker that could run it is busy: " + named(busy.workers()) + "."
              : busy.count() + " workers could run it but are busy: " + named(busy.workers()) + ".";
      case Explanation.WorkersDraining draining ->
          "Workers that could run it take nothing more, as they are draining: "
              + named(draining.workers())
              + ".";
      case Explanation.Backoff wait ->
          "It waits until "
              + time(wait.until())
              + " for attempt "
              + wait.attempt()
              + " of "
              + wait.maxAttempts()
              + because(wait.why())
              + ".";
      case Explanation.Exhausted over ->
          "It has no attempt left, and fails at " + time(over.until()) + because(over.why()) + ".";
      case Explanation.Held held -> held(held);
      case Explanation.CancelRequested asked ->
          "It was asked to stop"
              + because(asked.cancel().reason())
              + "; its worker has until "
              + time(asked.cancel().graceUntil())
              + ".";
      case Explanation.BehindOthers others ->
          others.ahead() == 1 && !others.orMore()
              ? "One job like it goes first."
              : others.ahead() + (others.orMore() ? " or more" : "") + " jobs like it go first.";
      case Explanation.Delivery delivery ->
          "It is to be delivered to " + delivery.target() + ", which has not taken it yet.";
      case Explanation.Claimable free ->
          free.parked() == 0
              ? "No worker asks for a job of its queue at this moment."
              : "Nothing keeps it; it is about to be claimed.";
      case Explanation.Finished over ->
          "It is " + over.state() + " since " + time(over.at()) + because(over.why()) + ".";
    };
  }

  private static String noMatch(Explanation.NoWorkerMatches none) {
    String what = needs(none.needs());
    String who = "No worker that is there " + (what.isEmpty() ? "can run it" : "has " + what);
    if (!none.away().isEmpty()) {
      return who + "; " + named(none.away()) + " could, but is offline.";
    }
    return none.lacks().isEmpty() ? who + "." : who + ": " + lacks(none.lacks()) + ".";
  }

  private static String held(Explanation.Held held) {
    return held.acknowledged()
        ? "Worker " + held.workerId() + " holds it, lease until " + time(held.until()) + "."
        : "It was given to worker "
            + held.workerId()
            + ", which has until "
            + time(held.until())
            + " to acknowledge it.";
  }

  private static String needs(Needs needs) {
    return String.join(", ", needs.requirements());
  }

  private static String lacks(List<Lack> lacks) {
    List<String> texts = new ArrayList<>();
    for (Lack lack : lacks.subList(0, Math.min(lacks.size(), MOST_NAMED))) {
      texts.add(lack.workerId() + " " + lack(lack));
    }
    if (lacks.size() > MOST_NAMED) {
      texts.add("and others");
    }
    return String.join(", ", texts);
  }

  private static String lack(Lack lack) {
    String missing = String.join(" and ", lack.lacks());
    if (!lack.noPayload()) {
      return "lacks " + missing;
    }
    return "runs commands only" + (missing.isEmpty() ? "" : " and lacks " + missing);
  }

  private static String named(List<String> workers) {
    return workers.size() <= MOST_NAMED
        ? String.join(", ", workers)
        : String.join(", ", workers.subList(0, MOST_NAMED)) + ", …";
  }

  private static String because(@Nullable String why) {
    return why == null || why.isEmpty() ? "" : " (" + why + ")";
  }

  static String time(long millis) {
    return millis == Times.NEVER ? "the end of time" : TIME.format(Instant.ofEpochMilli(millis));
  }
}
