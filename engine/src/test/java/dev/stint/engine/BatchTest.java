package dev.stint.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BatchTest {
  @Test
  void nothingIsKeptOfAJobThatIsRemovedByTheSameTransaction() {
    Life life = Life.submitted().claimedBy("w");
    Proof late = life.proof();
    life.after(Life.LEASE_MS).settle().claimedBy("v");
    life.complete();
    Job over = life.job();
    Batch batch = new Batch();
    batch.load(over);
    Rules rules = new Rules(Life.RETENTION_MS, new NativeWatch(false));
    long gone = over.updatedAt() + Life.RETENTION_MS;

    batch.apply(
        over.id(),
        rules.reports.report(
            over, List.copyOf(life.past), new Command.Complete(over.id(), late, "{}", null), gone),
        null);
    assertThat(changes(batch, gone).events()).isNotEmpty();
    batch.apply(over.id(), rules.time.tick(over, gone), null);

    Store.Changes changes = changes(batch, gone);
    assertThat(changes.removals()).containsExactly(over.id());
    assertThat(changes.events()).isEmpty();
    assertThat(changes.attempts()).isEmpty();
  }

  @Test
  void whatIsClaimableWhenATransactionLetsItGoIsReadyForOthers() {
    Life life = Life.submitted();
    Batch batch = new Batch();
    Store.Ready one = new Store.Ready("q", Needs.NOTHING, 1);
    batch.load(life.job());
    assertThat(batch.ready()).containsExactly(one);

    life.assignedTo("w");
    batch.apply(life.id, Decision.unchanged(true, life.job()), null);
    assertThat(batch.ready()).isEmpty();
    assertThat(batch.heldBy("w")).containsExactly(life.job());
    batch.apply(life.id, life.rules.time.abandon(life.job(), "gone", life.now), null);

    assertThat(batch.ready()).containsExactly(one);
    assertThat(batch.heldBy("w")).isEmpty();
  }

  private static Store.Changes changes(Batch batch, long now) {
    return new Unseen(false)
        .during(turn ->
            new Clerk.Done(
                batch.changes(0, new Notes(false, turn, now)),
                0,
                List.of(),
                List.of(),
                0,
                Map.of(),
                Map.of(),
                now))
        .changes();
  }
}
