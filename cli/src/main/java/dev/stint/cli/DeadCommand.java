package dev.stint.cli;

import dev.stint.client.Answer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stint dead}. */
@Command(
    name = "dead",
    description = "Lists what has FAILED, grouped by what went wrong, the newest first.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint dead",
      "  stint retry --fingerprint 5f3a01bc9d2e4f60 --rate 10",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.UNREACHABLE_LINE
    })
final class DeadCommand implements Callable<Integer> {
  private static final int MOST = 200;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "At most so many groups, 1 to 200. Default ${DEFAULT-VALUE}.")
  private int limit;

  @Mixin private final ControlPlane control = new ControlPlane();

  @Override
  public Integer call() throws IOException {
    Answer answer =
        control.get(new Query("/v1/dead").with("limit", Limit.checked(limit, MOST)).toString());
    control.printList(answer, "groups", "nothing has failed", DeadCommand::table);
    return ExitCodes.OK;
  }

  private static Table table(List<Map<String, @Nullable Object>> groups) {
    long now = Ages.now();
    Table table =
        new Table(
            List.of("CODE", "MESSAGE"),
            "FINGERPRINT",
            "JOBS",
            "FIRST",
            "LAST",
            "SAMPLE",
            "CODE",
            "MESSAGE");
    for (Map<String, @Nullable Object> object : groups) {
      Fields group = new Fields(object);
      table.add(
          group.text("fingerprint"),
          group.text("count"),
          Ages.ago(now, group.number("first_ms") / 1_000),
          Ages.ago(now, group.number("last_ms") / 1_000),
          group.object().get("sample") instanceof Map<?, ?> sample
              ? String.valueOf(sample.get("job_id"))
              : "",
          group.text("code"),
          group.text("message"));
    }
    return table;
  }
}
