package dev.stint.client.sdk;

import dev.stint.client.Answer;
import dev.stint.client.Json;
import dev.stint.client.Patience;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps all leases alive, with one call if they fit into it, and does what the control plane says
 * of each.
 *
 * <p>What was not heard is tried again several times before the next beat would be due, also where
 * the control plane wants to be left alone for longer: the leases hang on it. Only where the worker
 * is not let in it is tried ever more seldom, since wrong credentials are counted there.
 */
final class Beats implements Runnable {
  private static final System.Logger log = System.getLogger(Beats.class.getName());
  private static final int LEAST_TRIES_PER_INTERVAL = 4;

  /** What came of a beat. */
  private enum Reception {
    /** All leases are extended, or are not this worker's any more. */
    HEARD,
    /** The control plane is there, but cannot extend some leases just now. */
    IN_PART,
    /** Nobody answers. */
    UNHEARD
  }

  private final Holdings holdings;
  private final LeaseCalls calls;
  private final Patience patience;

  Beats(Holdings holdings, LeaseCalls calls, Patience patience) {
    this.holdings = holdings;
    this.calls = calls;
    this.patience = patience;
  }

  /** Beats until the holdings end. */
  @Override
  public void run() {
    try {
      for (List<Lease> held = holdings.awaitBeat(); !held.isEmpty(); held = holdings.awaitBeat()) {
        Reception reception = sent(held);
        for (int failures = 0; reception != Reception.HEARD; failures++) {
          pause(reception, failures, longestPause(held));
          held = holdings.held();
          reception = sent(held);
        }
      }
    } catch (InterruptedException e) {
      log.log(Level.DEBUG, "no more heartbeats");
    }
  }

  /** By what the control plane wants; how often this worker likes to beat does not matter now. */
  private static Duration longestPause(List<Lease> held) {
    return held.stream()
        .map(Lease::heartbeatInterval)
        .min(Comparator.naturalOrder())
        .orElse(Duration.ZERO)
        .dividedBy(LEAST_TRIES_PER_INTERVAL);
  }

  private void pause(Reception reception, int failures, Duration most) throws InterruptedException {
    if (patience.isBarred()) {
      patience.backOff(failures);
    } else if (reception == Reception.IN_PART) {
      patience.rest(failures, most);
    } else {
      patience.backOff(failures, most);
    }
  }

  private Reception sent(List<Lease> held) {
    try {
      boolean isHeard = true;
      for (Call call : calls(held)) {
        isHeard &= isHeard(call);
      }
      return isHeard ? Reception.HEARD : Reception.IN_PART;
    } catch (IOException e) {
      log.log(Level.DEBUG, "no heartbeat", e);
      return Reception.UNHEARD;
    } catch (RuntimeException | Error e) { // there may be no room for another thread
      log.log(Level.ERROR, "a heartbeat has to be tried again", e);
      return Reception.UNHEARD;
    }
  }

  /** Whether all of its leases were heard of. */
  private boolean isHeard(Call call) throws IOException {
    Answer answer = calls.heartbeat(call.beats());
    if (!answer.isOk()) {
      log.log(Level.ERROR, "heartbeats are refused: " + answer.problem());
    }
    List<Map<String, @Nullable Object>> results = answer.objects("results");
    boolean isHeard = true;
    for (int i = 0; i < call.leases().size(); i++) {
      Lease lease = call.leases().get(i);
      Map<String, @Nullable Object> result = i < results.size() ? results.get(i) : Map.of();
      int status = Results.status(result);
      if (status == 429 || status >= 500) {
        log.log(Level.DEBUG, lease + " cannot be extended just now: " + Results.problem(result));
        isHeard = false;
      } else {
        lease.heard();
        obey(lease, result);
      }
    }
    return isHeard;
  }

  /** Some leases and what is said of each, in one call. */
  record Call(List<Lease> leases, List<Json.Text> beats) {}

  /** All in one call, unless their messages make it longer than a call may be. */
  static List<Call> calls(List<Lease> held) {
    List<Call> calls = new ArrayList<>();
    int bytes = Report.MAX_BYTES;
    for (Lease lease : held) {
      String beat = Json.write(lease.beat());
      int more = beat.getBytes(StandardCharsets.UTF_8).length + 1;
      bytes += more;
      if (bytes > Report.MAX_BYTES) {
        calls.add(new Call(new ArrayList<>(), new ArrayList<>()));
        bytes = more;
      }
      calls.getLast().leases().add(lease);
      calls.getLast().beats().add(new Json.Text(beat));
    }
    return calls;
  }

  private static void obey(Lease lease, Map<String, @Nullable Object> result) {
    int status = Results.status(result);
    if (status == 409 || status == 404) {
      // A job that is over may only have been reported meanwhile, by a call that crossed this one.
      if (lease.work().isUnderWay()) {
        log.log(Level.INFO, lease + " was given away; its handler is interrupted");
      }
      lease.work().stop(new Work.Stop.Lost());
    } else if (Boolean.TRUE.equals(Results.field(result, "cancel"))) {
      lease
          .work()
          .stop(new Work.Stop.Cancelled(String.valueOf(Results.field(result, "cancel_reason"))));
    }
  }
}
