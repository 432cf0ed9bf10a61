package dev.stint.cli;

import dev.stint.client.Answer;
import dev.stint.client.Api;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code stint drain}. */
@Command(
    name = "drain",
    description = {
      "Lets a worker finish what it has and gives it nothing more until it is resumed.",
      "It is told in its next answer, and stays up."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint drain gpu-box",
      "  stint resume --worker gpu-box",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.UNREACHABLE_LINE
    })
final class DrainCommand implements Callable<Integer> {
  @Parameters(paramLabel = "WORKER", converter = Name.class, description = "The worker.")
  @SuppressWarnings("NullAway.Init") // set by picocli
  private String worker;

  @Mixin private final ControlPlane control = new ControlPlane();

  @Override
  public Integer call() throws IOException {
    Answer answer = control.post("/v1/workers/" + Api.encoded(worker) + "/drain", Map.of());
    control.print(answer, "worker " + Screen.line(worker) + " gets no more jobs");
    return ExitCodes.OK;
  }
}
