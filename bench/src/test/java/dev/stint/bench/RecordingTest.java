package dev.stint.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.JobState;
import dev.stint.engine.Store;
import dev.stint.storage.Stores;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RecordingTest {
  @TempDir Path temporary = Path.of("");

  @Test
  void theReplayLeavesTheSameRowsAsTheEngineDid() throws Exception {
    Recording recording = new Recording();
    EngineLoad load = new EngineLoad("q", JobRequests.payload(100), 10, 2);
    EngineLoad.Done done;
    Map<Store.TallyKey, Long> recorded;
    try (Store store = open("recorded.db")) {
      done = load.run(recording.of(store), Duration.ofMillis(300));
      recorded = store.tally();
    }
    assertThat(done.jobs()).isPositive();
    try (Store store = open("replayed.db")) {
      recording.replay(store);
      assertThat(store.tally()).isEqualTo(recorded);
      assertThat(store.tally())
          .containsEntry(new Store.TallyKey("q", JobState.COMPLETED), done.jobs());
      assertThat(store.list(Store.JobFilter.ALL, null, 5).items())
          .isNotEmpty()
          .allSatisfy(view -> assertThat(store.attempts(view.job().id())).hasSize(1));
    }
  }

  private Store open(String name) {
    return Stores.open(temporary.resolve(name).toString(), Clock.systemUTC());
  }
}
