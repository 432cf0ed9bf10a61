package dev.stint.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which jobs are meant, for lists and for verbs that are about many. */
final class FilterOptions {
  @Option(
      names = "--status",
      paramLabel = "STATUS",
      description = "Only those in this state: ${COMPLETION-CANDIDATES}.")
  private @Nullable JobStatus status;

  @Option(
      names = "--queue",
      paramLabel = "NAME",
      converter = Name.class,
      description = "Only those of this queue.")
  private @Nullable String queue;

  @Option(
      names = "--task",
      paramLabel = "NAME",
      converter = Name.class,
      description = "Only those for this task.")
  private @Nullable String task;

  @Option(
      names = "--worker",
      paramLabel = "ID",
      converter = Name.class,
      description = "Only those that this worker has, or had last.")
  private @Nullable String worker;

  @Option(
      names = "--text",
      paramLabel = "TEXT",
      converter = Name.class,
      description = "Only those with this text in their metadata.")
  private @Nullable String text;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description = "Only those made since then: 30m, 2h, 7d, 2026-01-31T12:00:00Z, Unix seconds.")
  private @Nullable String since;

  @Option(names = "--until", paramLabel = "TIME", description = "Only those made until then.")
  private @Nullable String until;

  boolean isAny() {
    return worker != null || isMoreThanWorker();
  }

  @Nullable String worker() {
    return worker;
  }

  boolean isMoreThanWorker() {
    return status != null
        || queue != null
        || task != null
        || text != null
        || since != null
        || until != null;
  }

  /** As a filter for a verb. */
  Map<String, @Nullable Object> toJson() {
    Map<String, @Nullable Object> filter = new LinkedHashMap<>();
    put(filter, "status", status == null ? null : status.name());
    put(filter, "queue", queue);
    put(filter, "task", task);
    put(filter, "worker", worker);
    put(filter, "text", text);
    put(filter, "since_ms", sinceMillis());
    put(filter, "until_ms", untilMillis());
    return filter;
  }

  private static void put(
      Map<String, @Nullable Object> filter, String name, @Nullable Object value) {
    if (value != null) {
      filter.put(name, value);
    }
  }

  /** As a query of the list of jobs, whose times are seconds. */
  Query addTo(Query query) {
    return query
        .with("status", status)
        .with("worker_id", worker)
        .with("queue", queue)
        .with("task", task)
        .with("text", text)
        .with("since", seconds(sinceMillis()))
        .with("until", seconds(untilMillis()));
  }

  private @Nullable Long sinceMillis() {
    return Moments.millis("--since", since, System.currentTimeMillis());
  }

  private @Nullable Long untilMillis() {
    return Moments.millis("--until", until, System.currentTimeMillis());
  }

  private static @Nullable Long seconds(@Nullable Long millis) {
    return millis == null ? null : Long.valueOf(millis / 1_000);
  }
}
