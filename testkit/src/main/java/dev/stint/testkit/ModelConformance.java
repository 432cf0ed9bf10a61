package dev.stint.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;

/**
 * Whatever clients, workers, time and faults do in whatever order, what {@link ModelWorld} checks
 * after each step holds, and in the end every job ends.
 */
public abstract class ModelConformance {
  /** The store under test; the same one each time. */
  protected abstract MovableStore movableStore();

  @Example
  void aDeliveryWhoseAnswerWasLostIsTheSameLeaseAgain() {
    keepsItsPromises(
        ModelWorld.Kind.SUBMIT,
        ModelWorld.Kind.FAULT_AFTER_COMMIT,
        ModelWorld.Kind.DELIVER,
        ModelWorld.Kind.DELIVER);
  }

  @Example
  void aMirrorIsShownAChangeOfWhichNobodyKnewWhetherItWasCommitted() {
    keepsItsPromises(
        ModelWorld.Kind.SUBMIT,
        ModelWorld.Kind.FAULT_AFTER_COMMIT,
        ModelWorld.Kind.CLAIM,
        ModelWorld.Kind.LOOK);
  }

  @Example
  void aClaimWhoseAnswerWasLostIsTheSameLeaseAgain() {
    ModelWorld.Step claim = new ModelWorld.Step(ModelWorld.Kind.CLAIM, 0, 2);
    ModelWorld.Step submit = new ModelWorld.Step(ModelWorld.Kind.SUBMIT, 0, 1);
    ModelWorld.Step fault = new ModelWorld.Step(ModelWorld.Kind.FAULT_AFTER_COMMIT, 0, 0);
    aJobsLifeKeepsItsPromises(List.of(submit, submit, fault, claim, claim, claim));
  }

  private void keepsItsPromises(ModelWorld.Kind... history) {
    aJobsLifeKeepsItsPromises(
        Stream.of(history).map(kind -> new ModelWorld.Step(kind, 0, 1)).toList());
  }

  @Property(tries = 60, shrinking = ShrinkingMode.BOUNDED)
  void aJobsLifeKeepsItsPromises(@ForAll("histories") List<ModelWorld.Step> history) {
    try (ModelWorld world = new ModelWorld(movableStore())) {
      history.forEach(world::take);
      world.finishEverything();
      assertThat(world.unfinished()).isEmpty();
    }
  }

  @Provide
  Arbitrary<List<ModelWorld.Step>> histories() {
    Arbitrary<ModelWorld.Kind> kinds =
        Arbitraries.frequency(
            Tuple.of(6, ModelWorld.Kind.SUBMIT),
            Tuple.of(8, ModelWorld.Kind.CLAIM),
            Tuple.of(4, ModelWorld.Kind.ASSIGN),
            Tuple.of(4, ModelWorld.Kind.START),
            Tuple.of(5, ModelWorld.Kind.HEARTBEAT),
            Tuple.of(6, ModelWorld.Kind.COMPLETE),
            Tuple.of(6, ModelWorld.Kind.FAIL),
            Tuple.of(2, ModelWorld.Kind.RELEASE),
            Tuple.of(5, ModelWorld.Kind.DELIVER),
            Tuple.of(2, ModelWorld.Kind.EMIT),
            Tuple.of(2, ModelWorld.Kind.ABANDON),
            Tuple.of(3, ModelWorld.Kind.CANCEL),
            Tuple.of(1, ModelWorld.Kind.ABORT),
            Tuple.of(1, ModelWorld.Kind.ABORT_WORKER),
            Tuple.of(4, ModelWorld.Kind.LOOK),
            Tuple.of(3, ModelWorld.Kind.BEAT),
            Tuple.of(2, ModelWorld.Kind.RECONNECT),
            Tuple.of(8, ModelWorld.Kind.ADVANCE),
            Tuple.of(2, ModelWorld.Kind.CRASH),
            Tuple.of(2, ModelWorld.Kind.FAULT_BEFORE_COMMIT),
            Tuple.of(2, ModelWorld.Kind.FAULT_AFTER_COMMIT));
    Arbitrary<Integer> choice = Arbitraries.integers().between(0, 11);
    return Combinators.combine(kinds, choice, choice)
        .as(ModelWorld.Step::new)
        .list()
        .ofMinSize(5)
        .ofMaxSize(70);
  }
}
