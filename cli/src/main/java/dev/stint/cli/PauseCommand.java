package dev.stint.cli;

import dev.stint.client.Answer;
import dev.stint.client.Api;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stint pause}. */
@Command(
    name = "pause",
    description = {
      "Gives out no job of a queue until it is resumed.",
      "Jobs can still be submitted to it, and those that run go on."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint pause nightly --reason 'the disk is full'",
      "  stint resume nightly",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.UNREACHABLE_LINE
    })
final class PauseCommand implements Callable<Integer> {
  @Parameters(paramLabel = "QUEUE", converter = Name.class, description = "The queue.")
  @SuppressWarnings("NullAway.Init") // set by picocli
  private String queue;

  @Option(names = "--reason", paramLabel = "TEXT", description = "Shown with the queue.")
  private @Nullable String reason;

  @Mixin private final ControlPlane control = new ControlPlane();

  @Override
  public Integer call() throws IOException {
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    if (reason != null) {
      body.put("reason", reason);
    }
    Answer answer = control.post("/v1/queues/" + Api.encoded(queue) + "/pause", body);
    control.print(answer, "queue " + Screen.line(queue) + " is paused");
    return ExitCodes.OK;
  }
}
