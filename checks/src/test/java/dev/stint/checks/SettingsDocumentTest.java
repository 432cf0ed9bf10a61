package dev.stint.checks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.cli.Stint;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The tables of settings and commands have all that the program takes. */
class SettingsDocumentTest {
  private static final Pattern VARIABLES = Pattern.compile("\\[([A-Z_, ]+)]");

  @Test
  void everySettingOfTheServerStandsInTheReadmeWithItsVariables() throws Exception {
    String readme = Files.readString(Path.of("../README.md"));
    CommandLine server =
        Objects.requireNonNull(Stint.commandLine(Map.of()).getSubcommands().get("server"));
    int variables = 0;
    for (OptionSpec option : server.getCommandSpec().options()) {
      if (option.usageHelp() || option.versionHelp()) {
        continue;
      }
      for (String name : option.names()) {
        assertThat(readme).contains("`" + name + "`");
      }
      String help = String.join(" ", option.description());
      for (MatchResult match : VARIABLES.matcher(help).results().toList()) {
        for (String variable : match.group(1).split(", ", -1)) {
          assertThat(readme).contains("`" + variable + "`");
          variables++;
        }
      }
    }
    assertThat(variables).isGreaterThan(10);
  }

  @Test
  void everyCommandStandsInItsDocument() throws Exception {
    String document = Files.readString(Path.of("../docs/cli.md"));
    Stint.commandLine(Map.of()).getSubcommands().values().stream()
        .map(CommandLine::getCommandSpec)
        .filter(command -> !command.usageMessage().hidden())
        .forEach(command ->
            assertThat(document).containsPattern("(?m)^\\| `" + command.name() + "[ `]"));
  }
}
