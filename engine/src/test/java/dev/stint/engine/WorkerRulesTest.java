package dev.stint.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WorkerRulesTest {
  private static final long RETENTION_MS = 1_000_000;
  private static final long SILENCE_MS = 60_000;
  private static final long NOW = 5_000_000;

  private final WorkerRules rules = new WorkerRules(RETENTION_MS);

  @Test
  void whoRegistersAgainCountsAnewAndStaysFirstSeenWhenItWas() {
    Worker once = registered(null, NOW);
    Worker beaten = after(rules.beat(once, beat(7L, "{\"cpu\":1}"), NOW + 1));
    Worker again = registered(beaten, NOW + 2);

    assertThat(beaten.seq()).isEqualTo(7);
    assertThat(again.seq()).isZero();
    assertThat(again.firstSeen()).isEqualTo(NOW);
    assertThat(again.registeredAt()).isEqualTo(NOW + 2);
  }

  @Test
  void aBeatThatIsNotNewerChangesNothing() {
    Worker worker = after(rules.beat(registered(null, NOW), beat(7L, "{\"cpu\":1}"), NOW));

    for (long stale : new long[] {0, 6, 7}) {
      var verdict = rules.beat(worker, beat(stale, "{\"cpu\":2}"), NOW + 10);
      assertThat(verdict.outcome()).isFalse();
      assertThat(verdict.after()).isNull();
    }
    Worker unnumbered = after(rules.beat(worker, beat(null, null), NOW + 10));
    assertThat(unnumbered.seq()).isEqualTo(7);
    assertThat(unnumbered.metrics()).isEqualTo("{\"cpu\":1}");
    assertThat(unnumbered.dueAt()).isEqualTo(NOW + 10 + SILENCE_MS);
  }

  @Test
  void aDrainingWorkerStaysSoUntilItIsResumed() {
    Worker worker = registered(null, NOW);
    var drained = rules.drain(worker, true, NOW);
    assertThat(drained.events()).extracting(Event::type).containsExactly(EventType.WORKER_DRAINING);
    Worker draining = after(drained);
    assertThat(rules.drain(draining, true, NOW).events()).isEmpty();
    assertThat(registered(draining, NOW + 1).draining()).isTrue();
    assertThat(after(rules.beat(draining, beat(1L, null), NOW + 1)).draining()).isTrue();
    assertThat(after(rules.tick(draining, NOW + SILENCE_MS)).draining()).isTrue();

    var resumed = rules.drain(draining, false, NOW);
    assertThat(resumed.events()).extracting(Event::type).containsExactly(EventType.WORKER_RESUMED);
    assertThat(after(resumed).draining()).isFalse();
  }

  @Test
  void silenceMakesItGoneAndALongSilenceForgotten() {
    Worker worker = registered(null, NOW);

    var silent = rules.tick(worker, NOW + SILENCE_MS);
    assertThat(silent.events()).extracting(Event::type).containsExactly(EventType.WORKER_OFFLINE);
    Worker gone = after(silent);
    assertThat(gone.online()).isFalse();
    assertThat(gone.dueAt()).isEqualTo(NOW + RETENTION_MS);

    var forgotten = rules.tick(gone, NOW + RETENTION_MS);
    assertThat(forgotten.isForgotten()).isTrue();
    assertThat(forgotten.events()).isEmpty();
  }

  @Test
  void aWorkerWithANonceIsNeverForgotten() {
    var verdict = rules.register(null, register("hash"), NOW);
    Worker gone = after(rules.tick(after(verdict), NOW + SILENCE_MS));
    assertThat(gone.dueAt()).isEqualTo(Times.NEVER);
  }

  @Test
  void aSignOfLifeOfOneThatWasGoneIsNoted() {
    Worker gone = after(rules.tick(registered(null, NOW), NOW + SILENCE_MS));

    var beat = rules.beat(gone, beat(1L, null), NOW + SILENCE_MS + 1);
    assertThat(beat.events()).extracting(Event::type).containsExactly(EventType.WORKER_ONLINE);
    var back =
        rules.reconnect(gone, new Command.Reconnect("w", Set.of(), SILENCE_MS), NOW + SILENCE_MS);
    assertThat(back.events())
        .extracting(Event::type)
        .containsExactly(EventType.WORKER_ONLINE, EventType.WORKER_RECONNECTED);
  }

  private Worker registered(@Nullable Worker known, long now) {
    return after(rules.register(known, register(null), now));
  }

  private static Command.Register register(@Nullable String nonceHash) {
    return new Command.Register("w", Skills.NONE, 1, nonceHash, SILENCE_MS);
  }

  private static Command.Beat beat(@Nullable Long seq, @Nullable String metrics) {
    return new Command.Beat("w", seq, metrics, SILENCE_MS, false);
  }

  private static Worker after(WorkerRules.Verdict<?> verdict) {
    return Objects.requireNonNull(verdict.after());
  }
}
