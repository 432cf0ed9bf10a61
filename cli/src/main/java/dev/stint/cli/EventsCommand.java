package dev.stint.cli;

import dev.stint.client.Answer;
import dev.stint.client.Json;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stint events}. */
@Command(
    name = "events",
    description = "Lists what happened to jobs and workers, the newest first.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint events --job 01a2b3c4-…",
      "  stint events --worker gpu-box --limit 20",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.UNREACHABLE_LINE
    })
final class EventsCommand implements Callable<Integer> {
  @Option(
      names = "--component",
      paramLabel = "NAME",
      converter = Name.class,
      description = "Only those of this part of the control plane.")
  private @Nullable String component;

  @Option(
      names = "--event",
      paramLabel = "NAME",
      converter = Name.class,
      description = "Only those of this name.")
  private @Nullable String event;

  @Option(
      names = "--worker",
      paramLabel = "ID",
      converter = Name.class,
      description = "Only those of this worker.")
  private @Nullable String worker;

  @Option(
      names = "--job",
      paramLabel = "ID",
      converter = Name.class,
      description = "Only those of this job.")
  private @Nullable String job;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "At most so many, 1 to 1000. Default ${DEFAULT-VALUE}.")
  private int limit;

  @Mixin private final ControlPlane control = new ControlPlane();

  @Override
  public Integer call() throws IOException {
    Answer answer =
        control.get(
            new Query("/events")
                .with("component", component)
                .with("event", event)
                .with("worker_id", worker)
                .with("job_id", job)
                .with("limit", Limit.checked(limit))
                .toString());
    boolean isAll = component == null && event == null && worker == null && job == null;
    String whenEmpty =
        isAll
            ? "no events yet; they begin with: stint submit -- echo hello"
            : "no such events; see all of them with: stint events";
    control.printList(answer, "events", whenEmpty, EventsCommand::table);
    return ExitCodes.OK;
  }

  private static Table table(List<Map<String, @Nullable Object>> events) {
    Table table =
        new Table(
            List.of("EVENT", "WORKER", "DETAILS"),
            "TIME",
            "COMPONENT",
            "EVENT",
            "JOB",
            "WORKER",
            "DETAILS");
    for (Map<String, @Nullable Object> object : events) {
      Fields line = new Fields(object);
      table.add(
          Ages.local(line.number("ts")),
          line.text("component"),
          line.text("event"),
          line.text("job_id"),
          line.text("worker_id"),
          details(line));
    }
    return table;
  }

  /** The move first, then the rest by name; what is null says nothing. */
  private static String details(Fields event) {
    if (!(event.object().get("details") instanceof Map<?, ?> details)) {
      return "";
    }
    StringJoiner text = new StringJoiner(", ");
    if (details.get("to") != null) {
      text.add(
          (details.get("from") == null ? "" : details.get("from") + " ")
              + "→ "
              + details.get("to"));
    }
    details.forEach((name, value) -> {
      if (value != null && !name.equals("from") && !name.equals("to")) {
        text.add(name + " " + (value instanceof String ? value : Json.write(value)));
      }
    });
    return text.toString();
  }
}
