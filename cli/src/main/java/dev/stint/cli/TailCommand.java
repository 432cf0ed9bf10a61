package dev.stint.cli;

import dev.stint.client.Api;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code stint tail}. */
@Command(
    name = "tail",
    description =
        "Follows a job until it ends: what happens to it, how far it is, what it gives out.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint tail 01a2b3c4-…",
      "  stint tail 01a2b3c4-… > answer.txt",
      "  stint tail 01a2b3c4-… --json | jq -c .data",
      "",
      "Output goes to stdout, all else to stderr. With --json each event is a line on stdout.",
      "If the connection breaks it is opened again, and nothing is missed or shown twice.",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.UNREACHABLE_LINE,
      "Once the job has ended, that of its command if it is one, or",
      "  120  it failed without one: its worker was lost, it took too long, …",
      "  121  it was aborted",
      "  122  the control plane knows it no longer",
      "Ctrl-C ends the following, not the job."
    })
final class TailCommand implements Callable<Integer> {
  @Parameters(paramLabel = "ID", converter = Name.class, description = "The job.")
  @SuppressWarnings("NullAway.Init") // set by picocli
  private String id;

  @Mixin private final ControlPlane control = new ControlPlane();

  @Override
  public Integer call() throws IOException, InterruptedException {
    try (Tail tail = new Tail(control, "/v1/jobs/" + Api.encoded(id) + "/events")) {
      if (!tail.follow()) {
        return Waiting.gone(control, id);
      }
    }
    return Waiting.exitCodeOf(control, id, false);
  }
}
