package dev.stint.cli;

import dev.stint.client.Answer;
import dev.stint.client.Api;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stint resume}. */
@Command(
    name = "resume",
    description = "Gives out jobs of a paused queue again, or gives a drained worker jobs again.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint resume nightly",
      "  stint resume --worker gpu-box",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.UNREACHABLE_LINE
    })
final class ResumeCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "QUEUE",
      converter = Name.class,
      description = "The queue.")
  private @Nullable String queue;

  @Option(
      names = "--worker",
      paramLabel = "ID",
      converter = Name.class,
      description = "The worker.")
  private @Nullable String worker;

  @Mixin private final ControlPlane control = new ControlPlane();

  @Override
  public Integer call() throws IOException {
    if ((queue == null) == (worker == null)) {
      throw new ParameterException(
          spec.commandLine(), "what shall it resume? Give either a queue or --worker ID");
    }
    String path =
        queue != null
            ? "/v1/queues/" + Api.encoded(queue)
            : "/v1/workers/" + Api.encoded(String.valueOf(worker));
    Answer answer = control.post(path + "/resume", Map.of());
    control.print(answer, Screen.line(words(answer)));
    return ExitCodes.OK;
  }

  /** Older control planes do not tell whether there was anything to resume. */
  private String words(Answer answer) {
    boolean isNews = !Boolean.FALSE.equals(answer.body().get("changed"));
    return queue != null
        ? "queue " + queue + (isNews ? " gives jobs again" : " was not paused")
        : "worker " + worker + (isNews ? " gets jobs again" : " was not draining");
  }
}
