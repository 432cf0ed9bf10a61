package dev.stint.cli;

import dev.stint.client.Answer;
import dev.stint.client.UnreachableException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stint top}. */
@Command(
    name = "top",
    description = {
      "Shows what the fleet does at this moment, anew every second; Ctrl-C ends it.",
      "Where nobody looks, or with --once, it shows it once."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint top",
      "  stint top --once",
      "  stint top --json | jq .overview.queues",
      "",
      "With --json it is one object: overview as /v1/overview has it, workers as /v1/workers.",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.UNREACHABLE_LINE
    })
final class TopCommand implements Callable<Integer> {
  private static final Duration PACE = Duration.ofSeconds(1);
  private static final int WORKERS = 50;
  private static final String HOME_AND_CLEAR = "\033[H\033[J";

  @Option(names = "--once", description = "Show it once, and end.")
  private boolean isOnce;

  @Mixin private final ControlPlane control = new ControlPlane();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (control.isJson()) {
      control.print(
          "{\"overview\":%s,\"workers\":%s}".formatted(overview().text(), workers().text()));
      return ExitCodes.OK;
    }
    control.print(view());
    while (!isOnce && control.screen().isTerminal()) {
      Thread.sleep(PACE);
      control.print(HOME_AND_CLEAR + String.join(System.lineSeparator(), viewOrProblem()));
    }
    return ExitCodes.OK;
  }

  private Answer overview() throws IOException {
    return control.get("/v1/overview");
  }

  private Answer workers() throws IOException {
    return control.get("/v1/workers?limit=" + WORKERS);
  }

  private List<String> viewOrProblem() throws IOException {
    try {
      return view();
    } catch (UnreachableException e) {
      return List.of("stint: " + e.getMessage() + "; waiting for it to come back");
    } catch (RefusedException e) {
      if (!e.isForLater()) {
        throw e;
      }
      return List.of("stint: " + e.getMessage() + "; waiting");
    }
  }

  private List<String> view() throws IOException {
    Answer overview = overview();
    Answer workers = workers();
    List<String> lines = new ArrayList<>();
    lines.add(
        Ages.local(overview.number("now_ms", 0) / 1_000)
            + "   "
            + numbers(overview, "states")
            + "   workers "
            + numbers(overview, "workers"));
    lines.add(lastMinutes(overview));
    lines.add("");
    lines.addAll(QueuesCommand.table(overview.objects("queues")).lines(control.screen()));
    lines.add("");
    lines.addAll(table(workers).lines(control.screen()));
    if (workers.string("next") != null) {
      lines.add("… and more workers: stint workers");
    }
    return lines;
  }

  /** Only what there is some of. */
  private static String numbers(Answer overview, String name) {
    StringJoiner text = new StringJoiner("  ");
    if (overview.body().get(name) instanceof Map<?, ?> counts) {
      counts.forEach((what, n) -> {
        if (!Long.valueOf(0).equals(n)) {
          text.add(n + " " + what);
        }
      });
    }
    return text.length() == 0 ? "none" : text.toString();
  }

  private static String lastMinutes(Answer overview) {
    List<Map<String, @Nullable Object>> series = overview.objects("series");
    if (series.isEmpty()) {
      return "";
    }
    Fields now = new Fields(series.getLast());
    Fields before = new Fields(series.get(Math.max(0, series.size() - 2)));
    String line =
        "this minute: %s submitted, %s completed, %s failed (before: %s, %s, %s)"
            .formatted(
                now.text("submitted"),
                now.text("completed"),
                now.text("failed"),
                before.text("submitted"),
                before.text("completed"),
                before.text("failed"));
    return overview.body().get("oldest_waiting") instanceof Map<?, ?> oldest
        ? line + "   oldest waiting: " + oldest.get("job_id")
        : line;
  }

  private static Table table(Answer workers) {
    long now = Ages.now();
    Table table =
        new Table(
            List.of("WORKER", "CAPABILITIES", "JOBS"),
            "WORKER",
            Table.STATUS,
            "SEEN",
            "BUSY",
            "CAPABILITIES",
            "JOBS");
    for (Map<String, @Nullable Object> object : workers.objects("workers")) {
      Fields worker = new Fields(object);
      List<String> jobs = worker.texts("holds");
      table.add(
          worker.text("worker_id"),
          WorkersCommand.status(worker),
          Ages.ago(now, worker.number("last_seen_ms") / 1_000),
          jobs.size() + "/" + worker.text("slots"),
          String.join(",", worker.texts("capabilities")),
          String.join(" ", jobs));
    }
    return table;
  }
}
