package dev.stint.cli;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code stint workers}. */
@Command(
    name = "workers",
    description = "Lists the workers, and what they have in hand.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint workers",
      "  stint workers --json | jq -r '.workers[] | select(.status == \"OFFLINE\") | .worker_id'",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.UNREACHABLE_LINE
    })
final class WorkersCommand implements Callable<Integer> {
  @Mixin private final ControlPlane control = new ControlPlane();

  @Override
  public Integer call() throws IOException {
    control.printList(
        control.get("/workers"),
        "workers",
        "no workers yet; start one with: stint worker",
        WorkersCommand::table);
    return ExitCodes.OK;
  }

  /** That a worker takes nothing more counts more than that it is there. */
  static String status(Fields worker) {
    boolean isDraining = Boolean.TRUE.equals(worker.object().get("draining"));
    return isDraining && worker.text("status").equals("ONLINE")
        ? "DRAINING"
        : worker.text("status");
  }

  private static Table table(List<Map<String, @Nullable Object>> workers) {
    long now = Ages.now();
    Table table =
        new Table(
            List.of("WORKER", "CAPABILITIES"),
            "WORKER",
            Table.STATUS,
            "SEEN",
            "SLOTS",
            "CAPABILITIES",
            "JOBS");
    for (Map<String, @Nullable Object> object : workers) {
      Fields worker = new Fields(object);
      List<String> jobs = worker.texts("current_job_ids");
      String current = jobs.isEmpty() ? worker.text("current_job_id") : String.join(" ", jobs);
      table.add(
          worker.text("worker_id"),
          status(worker),
          worker.age("last_seen", now),
          worker.text("slots"),
          String.join(",", worker.texts("worker_capabilities")),
          current);
    }
    return table;
  }
}
