package dev.stint.cli;

import dev.stint.client.Answer;
import dev.stint.client.Api;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code stint explain}. */
@Command(
    name = "explain",
    description = "Says why a job is where it is, in one sentence for each thing that keeps it.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint explain 01a2b3c4-…",
      "  stint explain 01a2b3c4-… --json | jq -r '.reasons[].code'",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.UNREACHABLE_LINE
    })
final class ExplainCommand implements Callable<Integer> {
  @Parameters(paramLabel = "ID", converter = Name.class, description = "The job.")
  @SuppressWarnings("NullAway.Init") // set by picocli
  private String id;

  @Mixin private final ControlPlane control = new ControlPlane();

  @Override
  public Integer call() throws IOException {
    Answer answer = control.get("/v1/jobs/" + Api.encoded(id) + "/explain");
    if (control.isJson()) {
      control.print(answer.text());
      return ExitCodes.OK;
    }
    String state = String.valueOf(answer.string("state"));
    control.print(id + " is " + control.screen().state(state, state));
    for (Map<String, @Nullable Object> reason : answer.objects("reasons")) {
      control.print("  " + Screen.line(new Fields(reason).text("sentence")));
    }
    return ExitCodes.OK;
  }
}
