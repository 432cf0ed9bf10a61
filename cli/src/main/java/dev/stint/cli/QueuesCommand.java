package dev.stint.cli;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code stint queues}. */
@Command(
    name = "queues",
    description = "Lists the queues: what waits, what runs, and which are paused.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint queues",
      "  stint queues --json | jq -r '.queues[] | select(.paused) | .queue'",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.UNREACHABLE_LINE
    })
final class QueuesCommand implements Callable<Integer> {
  @Mixin private final ControlPlane control = new ControlPlane();

  @Override
  public Integer call() throws IOException {
    control.printList(
        control.get("/v1/queues"),
        "queues",
        "no jobs yet; submit one with: stint submit -- echo hello",
        QueuesCommand::table);
    return ExitCodes.OK;
  }

  /** The queues as a table. */
  static Table table(List<Map<String, @Nullable Object>> queues) {
    Table table =
        new Table(
            List.of("QUEUE", "NOTE"),
            "QUEUE",
            "WAITING",
            "OLDEST",
            "RUNNING",
            "FAILED",
            "DONE/MIN",
            "NOTE");
    for (Map<String, @Nullable Object> object : queues) {
      Fields queue = new Fields(object);
      table.add(
          queue.text("queue"),
          queue.text("depth"),
          queue.has("oldest_wait_ms") ? Ages.span(queue.number("oldest_wait_ms") / 1_000) : "",
          queue.text("running"),
          queue.text("failed"),
          queue.text("completed_per_min"),
          note(queue));
    }
    return table;
  }

  private static String note(Fields queue) {
    if (!Boolean.TRUE.equals(queue.object().get("paused"))) {
      return "";
    }
    String reason = queue.text("paused_reason");
    return reason.isEmpty() ? "paused" : "paused: " + reason;
  }
}
