package dev.stint.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What happens to a claim between its commit and its answer where jobs have a second way out. If
 * the job left by that one first, the lease, of which nobody knows yet, makes way for the worker
 * that has it, and the claim has to look again.
 */
final class HandOver {
  private final Ledger ledger;
  private volatile @Nullable Transport transport;

  HandOver(Ledger ledger) {
    this.ledger = ledger;
  }

  void to(Transport newTransport) {
    transport = newTransport;
  }

  boolean isIdle() {
    return transport == null;
  }

  /** The outcome as it may be told, or null if its job was another's already. */
  Outcome.@Nullable OfClaim settle(Outcome.OfClaim outcome) {
    Transport asked = transport;
    return asked != null && outcome instanceof Outcome.Claimed claimed
        ? settle(asked, claimed, asked.take(List.of(claimed.job())).getFirst())
        : outcome;
  }

  /**
   * The same for many at once, in their order: the transport is asked once. Who has to make way
   * does so when it is asked for, and may find the store away, which is nothing to the others.
   */
  List<Supplier<Outcome.@Nullable Claimed>> settleAll(List<Outcome.Claimed> claimed) {
    Transport asked = transport;
    List<Supplier<Outcome.@Nullable Claimed>> settled = new ArrayList<>(claimed.size());
    if (asked == null || claimed.isEmpty()) {
      claimed.forEach(one -> settled.add(() -> one));
      return settled;
    }
    List<Transport.Taking> takings =
        asked.take(claimed.stream().map(Outcome.Claimed::job).toList());
    for (int i = 0; i < claimed.size(); i++) {
      Outcome.Claimed one = claimed.get(i);
      Transport.Taking taking = takings.get(i);
      settled.add(() -> settle(asked, one, taking));
    }
    return settled;
  }

  private Outcome.@Nullable Claimed settle(
      Transport asked, Outcome.Claimed claimed, Transport.Taking taking) {
    return switch (taking) {
      case Transport.Taking.Taken taken -> claimed.by(taken.messageId());
      case Transport.Taking.Delivered delivered -> {
        Command.Deliver deliver =
            new Command.Deliver(
                claimed.job().id(),
                claimed.job().enqueueId(),
                delivered.messageId(),
                delivered.workerId(),
                asked.nativeLeaseMs(),
                claimed.lease().fence());
        ledger.execute(deliver, deliver.requestId());
        yield null;
      }
    };
  }
}
