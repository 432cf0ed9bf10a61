package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {
  private static final Screen PLAIN = new Screen(true, true, 40, false);
  private static final Screen COLOURED = new Screen(true, true, 40, true);
  private static final String LONG = "echo a very long command that goes on and on";

  private final Table table = new Table(List.of("COMMAND"), "JOB", "STATUS", "COMMAND");

  @Test
  void columnsAreAligned() {
    table.add("1", "RUNNING", "echo");
    table.add("100", "LOST", "true");

    assertThat(table.lines(PLAIN))
        .containsExactly("JOB  STATUS   COMMAND", "1    RUNNING  echo", "100  LOST     true");
  }

  @Test
  void onATerminalTheLinesAreNoLongerThanItIsWide() {
    table.add("0199d2a0-0000", "RUNNING", LONG);

    assertThat(table.lines(PLAIN))
        .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(40))
        .last()
        .asString()
        .startsWith("0199d2a0-0000  RUNNING  echo")
        .endsWith("…");
  }

  @Test
  void anIdIsNeverCutHoweverNarrowTheTerminal() {
    String id = "0199d2a0-0000-7000-8000-000000000000";
    table.add(id, "RUNNING", LONG);

    assertThat(table.lines(PLAIN)).last().asString().contains(id).endsWith("echo a …");
  }

  @Test
  void withoutATerminalNothingIsCut() {
    table.add("0199d2a0-0000", "RUNNING", LONG);

    assertThat(table.lines(Screen.NONE)).last().asString().endsWith(LONG);
  }

  @Test
  void colouredItIsAsWideAsPlain() {
    table.add("1", "FAILED", "echo");
    table.add("2", "PENDING", "echo");

    List<String> coloured = table.lines(COLOURED);

    assertThat(coloured).element(1).asString().contains("\033[31mFAILED");
    assertThat(coloured.stream().map(line -> line.replaceAll("\033\\[\\d+m", "")))
        .isEqualTo(table.lines(PLAIN));
  }

  @Test
  void whatAJobIsCalledCannotMoveTheCursorOrBreakTheLine() {
    table.add("1", "RUNNING", "echo \033[2J\na\tb\u009b");

    assertThat(table.lines(COLOURED)).last().asString().endsWith("echo ?[2J a b?");
  }
}
