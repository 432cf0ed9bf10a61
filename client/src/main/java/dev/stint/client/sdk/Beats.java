package dev.stint.client.sdk;

import dev.stint.client.Answer;
import dev.stint.client.Json;
import dev.stint.client.Patience;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps all leases alive, with one call if they fit into it, and does what the control plane says
 * of each.
 */
final class Beats implements Runnable {
  private static final System.Logger log = System.getLogger(Beats.class.getName());

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
        for (int failures = 0; !isHeard(held); failures++) {
          patience.backOff(failures);
          held = holdings.held();
        }
      }
    } catch (InterruptedException e) {
      log.log(Level.DEBUG, "no more heartbeats");
    }
  }

  private boolean isHeard(List<Lease> held) {
    try {
      for (Call call : calls(held)) {
        send(call);
      }
      return true;
    } catch (IOException e) {
      log.log(Level.DEBUG, "no heartbeat", e);
      return false;
    } catch (RuntimeException | Error e) { // there may be no room for another thread
      log.log(Level.ERROR, "a heartbeat has to be tried again", e);
      return false;
    }
  }

  private void send(Call call) throws IOException {
    Answer answer = calls.heartbeat(call.beats());
    if (!answer.isOk()) {
      log.log(Level.ERROR, "heartbeats are refused: " + answer.problem());
    }
    call.leases().forEach(Lease::heard);
    List<Map<String, @Nullable Object>> results = answer.objects("results");
    for (int i = 0; i < Math.min(call.leases().size(), results.size()); i++) {
      obey(call.leases().get(i), results.get(i));
    }
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
      log.log(Level.INFO, lease + " was given away; its handler is interrupted");
      lease.work().stop(new Work.Stop.Lost());
    } else if (Boolean.TRUE.equals(Results.field(result, "cancel"))) {
      lease
          .work()
          .stop(new Work.Stop.Cancelled(String.valueOf(Results.field(result, "cancel_reason"))));
    }
  }
}
