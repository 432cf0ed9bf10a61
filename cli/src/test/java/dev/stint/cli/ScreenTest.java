package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class ScreenTest {
  private static Screen screen(Map<String, String> environment, String... told) {
    Properties properties = new Properties();
    for (String property : told) {
      String[] parts = property.split("=", 2);
      properties.setProperty(parts[0], parts[1]);
    }
    return Screen.of(environment, properties);
  }

  @Test
  void coloursAreForTerminalsOnly() {
    Map<String, String> xterm = Map.of("TERM", "xterm");
    assertThat(screen(xterm).hasColours()).isFalse();
    assertThat(screen(xterm, "stint.stderr.terminal=true").hasColours()).isFalse();
    assertThat(screen(xterm, "stint.stdout.terminal=true").hasColours()).isTrue();
  }

  @Test
  void thereAreNoColoursWithNoColorOrOnADumbTerminal() {
    String terminal = "stint.stdout.terminal=true";
    assertThat(screen(Map.of("TERM", "xterm", "NO_COLOR", "1"), terminal).hasColours()).isFalse();
    assertThat(screen(Map.of("TERM", "xterm", "NO_COLOR", ""), terminal).hasColours()).isTrue();
    assertThat(screen(Map.of("TERM", "dumb"), terminal).hasColours()).isFalse();
    assertThat(screen(Map.of(), terminal).hasColours()).isFalse();
  }

  @Test
  void theWidthIsTheTerminalsElseTheVariablesElseTheUsual() {
    Map<String, String> variable = Map.of("COLUMNS", "100");
    assertThat(screen(variable, "stint.columns=132").columns()).isEqualTo(132);
    assertThat(screen(variable, "stint.columns=").columns()).isEqualTo(100);
    assertThat(screen(variable, "stint.columns=0").columns()).isEqualTo(100);
    assertThat(screen(Map.of("COLUMNS", "wide")).columns()).isEqualTo(80);
    assertThat(screen(Map.of(), "stint.columns=3").columns()).isEqualTo(40);
  }
}
