package dev.stint.contracts.operator;

import dev.stint.contracts.JsonWriter;
import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.JobState;
import dev.stint.engine.Outcome;
import dev.stint.engine.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Verbs for many jobs: each call takes a bounded number of them and says where to go on. */
final class Batches {
  private static final int AT_ONCE = 200;
  private static final int MAX_LOOKS = 10;
  private static final long SECOND_MS = 1_000;

  private final Engine engine;
  private final long cancelGraceMs;

  Batches(Engine engine, long cancelGraceMs) {
    this.engine = engine;
    this.cancelGraceMs = cancelGraceMs;
  }

  /** Takes some jobs, in the order in which they are found. */
  private interface Taker {
    void take(List<UUID> jobIds);
  }

  /** How many the filter fits and the verb can be for, as far as one call counts. */
  JsonWriter count(Requests.Bulk bulk) {
    List<UUID> found = new ArrayList<>();
    UUID next = walk(bulk, found::addAll);
    return new JsonWriter()
        .add("matched", found.size())
        .add("more", next != null)
        .add("next", text(next));
  }

  JsonWriter carryOut(Requests.Bulk bulk, @Nullable String requestId) {
    int[] done = new int[2];
    UUID next =
        walk(
            bulk,
            ids -> {
              int ok = execute(bulk, ids, requestId);
              done[0] += ok;
              done[1] += ids.size() - ok;
            });
    return new JsonWriter().add("done", done[0]).add("refused", done[1]).add("next", text(next));
  }

  private int execute(Requests.Bulk bulk, List<UUID> ids, @Nullable String requestId) {
    return switch (bulk.verb()) {
      case RETRY -> retry(ids.stream().map(id -> new Command.Replay(id, 0)).toList(), requestId);
      case CANCEL -> {
        String reason = Objects.requireNonNullElse(bulk.reason(), "cancelled");
        var wishes =
            ids.stream().map(id -> new Command.RequestCancel(id, reason, cancelGraceMs)).toList();
        yield (int)
            engine.executeAll(wishes, requestId).stream()
                .map(Supplier::get)
                .filter(outcome ->
                    outcome instanceof Outcome.Ended || outcome instanceof Outcome.CancelAsked)
                .count();
      }
      case ABORT -> {
        String reason = Objects.requireNonNullElse(bulk.reason(), "aborted");
        var wishes = ids.stream().map(id -> new Command.Abort(id, null, reason)).toList();
        yield (int)
            engine.executeAll(wishes, requestId).stream()
                .map(Supplier::get)
                .filter(Outcome.Ended.class::isInstance)
                .count();
      }
    };
  }

  private int retry(List<Command.Replay> wishes, @Nullable String requestId) {
    return (int)
        engine.executeAll(wishes, requestId).stream()
            .map(Supplier::get)
            .filter(Outcome.Revived.class::isInstance)
            .count();
  }

  /** With a rate, each may start a little later than the one before it, also across calls. */
  JsonWriter replay(Requests.Replay replay, @Nullable String requestId) {
    long now = engine.now();
    Spread spread = new Spread(Math.max(0, replay.startAt() - now), replay.ratePerSecond());
    int[] revived = new int[1];
    Taker taker =
        ids -> {
          List<Command.Replay> wishes = new ArrayList<>();
          ids.forEach(id -> wishes.add(new Command.Replay(id, spread.nextDelayMs())));
          revived[0] += retry(wishes, requestId);
        };
    UUID next =
        replay.fingerprint() == null
            ? walk(replay.filter(), replay.before(), replay.limit(), taker)
            : walkGroup(replay.fingerprint(), replay.before(), replay.limit(), taker);
    String place =
        next == null || replay.ratePerSecond() == 0
            ? text(next)
            : next + "@" + (now + spread.soFarMs());
    return new JsonWriter().add("replayed", revived[0]).add("next", place);
  }

  /** Start times at a rate. */
  private static final class Spread {
    private final long beginMs;
    private final long perSecond;
    private long given;

    Spread(long beginMs, long perSecond) {
      this.beginMs = beginMs;
      this.perSecond = perSecond;
    }

    long nextDelayMs() {
      long delay = soFarMs();
      given++;
      return delay;
    }

    long soFarMs() {
      return perSecond == 0 ? 0 : beginMs + given * SECOND_MS / perSecond;
    }
  }

  /** Passes jobs over that the verb would leave as they are. */
  private @Nullable UUID walk(Requests.Bulk bulk, Taker taker) {
    Set<JobState> states = bulk.verb().states();
    if (!bulk.filter().states().isEmpty()) {
      states.retainAll(bulk.filter().states());
    }
    return states.isEmpty()
        ? null
        : walk(bulk.filter().in(states), bulk.before(), bulk.limit(), taker);
  }

  private @Nullable UUID walk(
      Store.JobFilter filter, @Nullable UUID before, int limit, Taker taker) {
    UUID next = before;
    int left = limit;
    for (int look = 0; look < MAX_LOOKS && left > 0; look++) {
      var page = engine.list(filter, next, Math.min(left, AT_ONCE));
      taker.take(page.items().stream().map(view -> view.job().id()).toList());
      left -= page.items().size();
      next = page.next();
      if (next == null) {
        return null;
      }
    }
    return next;
  }

  private @Nullable UUID walkGroup(
      String fingerprint, @Nullable UUID before, int limit, Taker taker) {
    List<UUID> ids = engine.lookout().deadJobs(fingerprint, before, limit);
    taker.take(ids);
    return ids.size() < limit ? null : ids.getLast();
  }

  private static @Nullable String text(@Nullable UUID id) {
    return id == null ? null : id.toString();
  }
}
