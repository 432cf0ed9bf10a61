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
    return !isIdle() && outcome instanceof Outcome.Claimed claimed
        ? settleAll(List.of(claimed)).getFirst().get()
        : outcome;
  }

  /**
   * The same for many at once, in their order: the transport is asked once, and all that have to
   * make way do so at once, as its workers may be done soon. That one of them finds the store away
   * is nothing to the others. Whose time to make way is over keeps the job.
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
      settled.add(
          switch (takings.get(i)) {
            case Transport.Taking.Taken taken -> () -> one.by(taken.messageId());
            case Transport.Taking.Delivered delivered -> makeWay(asked, one, delivered);
          });
    }
    return settled;
  }

  private Supplier<Outcome.@Nullable Claimed> makeWay(
      Transport asked, Outcome.Claimed claimed, Transport.Taking.Delivered delivered) {
    Command.Deliver deliver =
        new Command.Deliver(
            claimed.job().id(),
            claimed.job().enqueueId(),
            delivered.messageId(),
            delivered.workerId(),
            asked.nativeLeaseMs(),
            claimed.lease().fence());
    Supplier<Outcome.OfDelivery> made =
        ledger.executeAll(List.of(deliver), deliver.requestId()).getFirst();
    return () ->
        made.get() instanceof Outcome.NotDeliverable refused && claimed.lease().isOf(refused.job())
            ? claimed.by(Transport.Taking.Taken.withoutMessage(refused.job()).messageId())
            : null;
  }
}
