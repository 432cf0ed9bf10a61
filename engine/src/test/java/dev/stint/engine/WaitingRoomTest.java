package dev.stint.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Store.Ready;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WaitingRoomTest {
  private static final Needs GPU = Needs.of(List.of("gpu"));

  private final WaitingRoom room = new WaitingRoom();

  @Test
  void asManyAreWokenAsThereAreJobsAndTheFirstComesFirst() throws Exception {
    WaitingRoom.Waiter first = enter("a", Skills.NONE, null);
    WaitingRoom.Waiter second = enter("b", Skills.NONE, null);
    WaitingRoom.Waiter third = enter("c", Skills.NONE, null);
    room.wake(List.of(new Ready("q", Needs.NOTHING, 2)));
    assertThat(isWoken(first)).isTrue();
    assertThat(isWoken(second)).isTrue();
    assertThat(isWoken(third)).isFalse();
  }

  @Test
  void onlyAWaiterThatCanRunItIsWoken() throws Exception {
    WaitingRoom.Waiter plain = enter("a", Skills.NONE, null);
    WaitingRoom.Waiter gpu = enter("b", new Skills(false, Set.of("gpu", "ssd")), null);
    room.wake(List.of(new Ready("q", GPU, 1), new Ready("other", Needs.NOTHING, 1)));
    assertThat(isWoken(plain)).isFalse();
    assertThat(isWoken(gpu)).isTrue();
  }

  @Test
  void aWakeUpThatComesWhileTheWaiterStillLooksIsNotLost() throws Exception {
    WaitingRoom.Waiter waiter = enter("a", Skills.NONE, null);
    room.wake(List.of(new Ready("q", Needs.NOTHING, 1)));
    assertThat(room.await(waiter, TimeUnit.MINUTES.toNanos(1))).isTrue();
  }

  @Test
  void whoLeavesWithAnotherJobHandsTheWakeUpOn() throws Exception {
    WaitingRoom.Waiter first = enter("a", new Skills(false, Set.of("gpu")), null);
    WaitingRoom.Waiter second = enter("b", new Skills(false, Set.of("gpu")), null);
    room.wake(List.of(new Ready("q", GPU, 1)));
    assertThat(isWoken(first)).isTrue();
    Ready owed = room.lineUpAgain(first);
    room.leave(first, owed, Life.submitted().claimedBy("a").job());
    assertThat(isWoken(second)).isTrue();
  }

  @Test
  void whoLeavesWithSuchAJobHandsNothingOn() throws Exception {
    WaitingRoom.Waiter first = enter("a", Skills.NONE, null);
    WaitingRoom.Waiter second = enter("b", Skills.NONE, null);
    room.wake(List.of(new Ready("q", Needs.NOTHING, 1)));
    assertThat(isWoken(first)).isTrue();
    Ready owed = room.lineUpAgain(first);
    room.leave(first, owed, Life.submitted().claimedBy("a").job());
    assertThat(isWoken(second)).isFalse();
  }

  @Test
  void aWakeUpDuringTheLastLookIsHandedOnEvenIfThatLookFoundAJob() throws Exception {
    WaitingRoom.Waiter first = enter("a", Skills.NONE, null);
    WaitingRoom.Waiter second = enter("b", Skills.NONE, null);
    room.wake(List.of(new Ready("q", Needs.NOTHING, 1)));
    room.leave(first, null, Life.submitted().claimedBy("a").job());
    assertThat(isWoken(second)).isTrue();
  }

  @Test
  void theSameClaimSentAgainSendsTheFirstAway() throws Exception {
    WaitingRoom.Waiter lost = enter("a", Skills.NONE, "claim-1");
    WaitingRoom.Waiter again = enter("a", Skills.NONE, "claim-1");
    assertThat(room.await(lost, TimeUnit.MINUTES.toNanos(1))).isFalse();
    room.leave(lost, null, null);
    room.wake(List.of(new Ready("q", Needs.NOTHING, 1)));
    assertThat(isWoken(again)).isTrue();
  }

  @Test
  void closingAnswersEverybodyAndLetsNobodyIn() throws Exception {
    WaitingRoom.Waiter waiter = enter("a", Skills.NONE, null);
    room.close();
    assertThat(room.await(waiter, TimeUnit.MINUTES.toNanos(1))).isFalse();
    assertThat(room.enter(claim("b", Skills.NONE, null))).isNull();
    room.leave(waiter, null, null);
    assertThat(room.queues()).isEmpty();
  }

  private boolean isWoken(WaitingRoom.Waiter waiter) throws InterruptedException {
    return room.await(waiter, 0);
  }

  private WaitingRoom.Waiter enter(String worker, Skills skills, @Nullable String claimId) {
    return Objects.requireNonNull(room.enter(claim(worker, skills, claimId)));
  }

  private static Command.Claim claim(String worker, Skills skills, @Nullable String claimId) {
    return new Command.Claim(
        worker, List.of("q"), skills, false, claimId, new Command.Claim.Terms(1, 1, 1, 1));
  }
}
