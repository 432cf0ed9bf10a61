package dev.stint.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StateTest {
  private final Mark mark = new Mark("j1", 4);
  private final Report report =
      Report.of(Report.Kind.FAILED, "w1", Probes.job(mark, 0, "true"))
          .with("error", "exit status 1: ü\n\"x\"")
          .with("exit_code", 1L);

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private Path file = Path.of("");

  @BeforeEach
  void choose() {
    file = folder.resolve("deeper").resolve("state.json");
  }

  private State open() {
    State state = new State(file);
    assertThat(state.open()).isTrue();
    return state;
  }

  @Test
  void theNextStartFindsTheNameWhatRanAndWhatIsToBeReported() {
    long lastSeq;
    try (State state = open()) {
      assertThat(state.workerId()).isNull();
      state.name("host-1");
      assertThat(state.started(mark)).isTrue();
      state.started(new Mark("j2", 1));
      state.ended(new Mark("j2", 1), report);
      lastSeq = state.nextSeq();
    }
    try (State state = open()) {
      assertThat(state.workerId()).isEqualTo("host-1");
      assertThat(state.running()).containsExactly(mark);
      assertThat(state.reports()).containsExactly(report);
      assertThat(state.nextSeq()).isGreaterThan(lastSeq);
      state.ended(mark, null);
      state.delivered(report);
    }
    try (State state = open()) {
      assertThat(state.running()).isEmpty();
      assertThat(state.reports()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{\"worker_id\":\"w1\",\"seq\":1,\"running\":[",
        "[]",
        "{}",
        "{\"worker_id\":\"w1\",\"seq\":1,\"running\":[],\"results\":[{\"job_id\":1}]}",
        "{\"worker_id\":\"w1\",\"seq\":1,\"running\":[],\"results\":[{\"status\":\"COMPLETED\"}]}"
      })
  void whatCannotBeReadIsPutAsideAndTheWorkerGoesOn(String text) throws Exception {
    Files.createDirectories(folder.resolve("deeper"));
    Files.writeString(file, text);
    try (State state = open()) {
      state.name("w1");
      assertThat(state.isSaved()).isTrue();
      assertThat(state.reports()).isEmpty();
    }
    assertThat(folder.resolve("deeper").resolve("state.json.broken")).hasContent(text);
    assertThat(Files.readString(file)).startsWith("{\"worker_id\":\"w1\"");
  }

  @Test
  void aHalfWrittenNextStateDoesNotMatter() throws Exception {
    try (State state = open()) {
      state.name("w1");
      state.ended(mark, report);
    }
    Files.writeString(file.resolveSibling("state.json.tmp"), "{\"worker_id\":");
    try (State state = open()) {
      assertThat(state.reports()).containsExactly(report);
    }
  }

  @Test
  void aSecondWorkerIsTurnedAway() {
    try (State _ = open();
        State second = new State(file)) {
      assertThatThrownBy(second::open)
          .isInstanceOf(StateInUseException.class)
          .hasMessageContaining(file.toString());
    }
    open().close();
  }

  @Test
  void whatCannotBeWrittenIsKeptInMemoryAndWrittenLater() throws Exception {
    Files.writeString(folder.resolve("deeper"), "a file in the way");
    try (State state = new State(file)) {
      assertThat(state.open()).isFalse();
      state.name("w1");
      state.ended(mark, report);
      assertThat(state.isSaved()).isFalse();
      assertThat(state.reports()).isEqualTo(List.of(report));

      Files.delete(folder.resolve("deeper"));
      assertThat(state.open()).isTrue();
      assertThat(state.isSaved()).isTrue();
    }
    try (State state = open()) {
      assertThat(state.reports()).containsExactly(report);
    }
  }

  @Test
  void whatIsChangedByManyAtOnceIsAllThere() throws Exception {
    Set<Mark> marks = ConcurrentHashMap.newKeySet();
    try (State state = open()) {
      state.name("w1");
      List<Thread> threads =
          IntStream.range(0, 20)
              .mapToObj(i -> Thread.startVirtualThread(() -> startAndEnd(state, i, marks)))
              .toList();
      for (Thread thread : threads) {
        thread.join();
      }
    }
    try (State state = open()) {
      assertThat(marks).hasSize(20);
      assertThat(state.running()).containsExactlyInAnyOrderElementsOf(marks);
    }
  }

  private static void startAndEnd(State state, int fence, Set<Mark> marks) {
    Mark over = new Mark("over", fence);
    Mark runs = new Mark("runs", fence);
    if (state.started(over) && state.started(runs)) {
      state.ended(over, null);
      marks.add(runs);
    }
  }
}
