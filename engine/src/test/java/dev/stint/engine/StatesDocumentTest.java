package dev.stint.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/states.md} is generated from {@link Transition#TABLE}; with {@code
 * -Dstint.generate=true} this test writes it.
 */
class StatesDocumentTest {
  private static final Path DOCUMENT = Path.of("../docs/states.md");

  @Test
  void theDocumentShowsTheTable() throws IOException {
    if (Boolean.getBoolean("stint.generate")) {
      Files.writeString(DOCUMENT, document());
    }
    assertThat(DOCUMENT)
        .withFailMessage("run: mvn -pl engine test -Dtest=StatesDocumentTest -Dstint.generate=true")
        .hasContent(document());
  }

  private static String document() {
    return """
    # The states of a job

    Generated from `Transition.TABLE`; every move is visited by a test, and no other is possible.

    ```mermaid
    stateDiagram-v2
    %s
    ```

    | from | to | because (the event's type) |
    | --- | --- | --- |
    %s
    """
        .formatted(diagram(), table());
  }

  private static String diagram() {
    return Transition.TABLE.stream()
        .collect(
            Collectors.groupingBy(
                move -> "    " + name(move.from(), "[*]") + " --> " + move.to(),
                java.util.LinkedHashMap::new,
                Collectors.mapping(move -> move.why().word(), Collectors.joining(", "))))
        .entrySet()
        .stream()
        .map(arrow -> arrow.getKey() + ": " + arrow.getValue())
        .collect(Collectors.joining("\n"));
  }

  private static String table() {
    return Transition.TABLE.stream()
        .map(m -> "| " + name(m.from(), "(new)") + " | " + m.to() + " | `" + m.why().word() + "` |")
        .collect(Collectors.joining("\n"));
  }

  private static String name(@org.jspecify.annotations.Nullable JobState state, String none) {
    return state == null ? none : state.name();
  }
}
