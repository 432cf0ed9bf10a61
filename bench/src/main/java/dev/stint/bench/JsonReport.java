package dev.stint.bench;

import java.io.StringWriter;
import java.util.Optional;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** The report for a program: one JSON object. A figure that could not be had is null. */
final class JsonReport {
  private static final JsonFactory JSON = new JsonFactory();

  private final JsonGenerator json;

  private JsonReport(JsonGenerator json) {
    this.json = json;
  }

  static String of(Report report) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      new JsonReport(json).write(report);
    }
    return text.toString();
  }

  static String of(LatencyReport report) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      new JsonReport(json).write(report);
    }
    return text.toString();
  }

  static String of(AudienceReport report) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      new JsonReport(json).write(report);
    }
    return text.toString();
  }

  static String ofFailure(String message) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeBooleanProperty("ok", false);
      json.writeStringProperty("error", message);
      json.writeEndObject();
    }
    return text.toString();
  }

  private void write(Report report) {
    json.writeStartObject();
    json.writeBooleanProperty("ok", true);
    machine(report.database());
    json.writeNumberProperty("seconds", report.plan().each().toMillis() / 1e3);
    json.writeNumberProperty("warmup_seconds", report.plan().warmUp().toMillis() / 1e3);
    json.writeNumberProperty("payload_bytes", report.plan().payloadBytes());
    json.writeArrayPropertyStart("runs");
    report.runs().forEach(this::write);
    json.writeEndArray();
    json.writeEndObject();
  }

  private void write(LatencyReport report) {
    Pace pace = report.pace();
    Latencies latencies = report.figures().latencies();
    json.writeStartObject();
    json.writeBooleanProperty("ok", true);
    machine(report.database());
    number("seconds", Optional.of(pace.startOf(pace.measuredRounds()).toSeconds()));
    number("warmup_seconds", Optional.of(pace.startOf(pace.warmUpRounds()).toSeconds()));
    json.writeNumberProperty("payload_bytes", pace.payloadBytes());
    json.writeNumberProperty("workers", pace.workers());
    json.writeNumberProperty("calls_per_second", pace.callsPerSecond());
    json.writeNumberProperty("tasks_completed", pace.tasks());
    json.writeBooleanProperty("kept", latencies.keepsAll());
    json.writeObjectPropertyStart("calls");
    for (WorkerCall call : WorkerCall.values()) {
      json.writeObjectPropertyStart(call.word());
      latency(latencies.of(call));
      json.writeNumberProperty("promised_p99_ms", call.promisedMs());
      json.writeBooleanProperty("kept", latencies.keeps(call));
      json.writeEndObject();
    }
    json.writeEndObject();
    json.writeObjectPropertyStart("sent_late");
    latency(latencies.sentLate());
    json.writeEndObject();
    number("commit_batch_average", report.figures().commits().batch());
    number("commit_ms_average", report.figures().commits().millis());
    json.writeObjectPropertyStart("cpu");
    number("server_cores", report.figures().window().serverCores());
    number("generator_cores", Optional.of(report.figures().window().generatorCores()));
    json.writeEndObject();
    server(report.server());
    json.writeEndObject();
  }

  private void write(AudienceReport report) {
    json.writeStartObject();
    json.writeBooleanProperty("ok", true);
    machine(report.database());
    json.writeNumberProperty("seconds", report.audience().measuredSeconds());
    json.writeNumberProperty("warmup_seconds", report.audience().warmUpSeconds());
    json.writeNumberProperty("readers", report.audience().readers());
    json.writeNumberProperty("jobs", report.audience().jobs());
    json.writeObjectPropertyStart("since_sent");
    latency(report.figures().sinceSent());
    json.writeEndObject();
    json.writeObjectPropertyStart("since_answer");
    latency(report.figures().sinceAnswer());
    json.writeEndObject();
    json.writeObjectPropertyStart("cpu");
    number("server_cores", report.figures().window().serverCores());
    number("generator_cores", Optional.of(report.figures().window().generatorCores()));
    json.writeEndObject();
    server(report.server());
    json.writeEndObject();
  }

  private void machine(Database database) {
    json.writeObjectPropertyStart("database");
    json.writeStringProperty("kind", database.kind());
    json.writeStringProperty("where", database.where());
    json.writeObjectPropertyStart("durability");
    database.durability().forEach(json::writeStringProperty);
    json.writeEndObject();
    json.writeEndObject();
    json.writeNumberProperty("cores", Report.cores());
    json.writeStringProperty("java", Runtime.version().toString());
  }

  private void write(Report.Run run) {
    Figures figures = run.figures();
    json.writeStartObject();
    json.writeNumberProperty("connections", figures.connections());
    json.writeNumberProperty("jobs_completed", figures.jobs());
    number("jobs_per_second", Optional.of(figures.jobsPerSecond()));
    number("requests_per_second", Optional.of(figures.requestsPerSecond()));
    number("echo_requests_per_second", figures.echoPerSecond());
    number("lifecycle_to_echo", figures.ratio());
    number("commit_batch_average", figures.commits().batch());
    number("commit_ms_average", figures.commits().millis());
    json.writeObjectPropertyStart("calls");
    for (Call call : Call.values()) {
      Histogram histogram = figures.tally().of(call);
      if (histogram.count() > 0) {
        json.writeObjectPropertyStart(call.word());
        latency(histogram);
        json.writeEndObject();
      }
    }
    json.writeEndObject();
    json.writeObjectPropertyStart("cpu");
    cpu("lifecycle", Optional.of(figures.lifecycle()), figures.tally().lifecycleRequests());
    cpu("echo", figures.echo(), figures.tally().of(Call.ECHO).count());
    json.writeEndObject();
    server(run.server());
    json.writeEndObject();
  }

  private void server(Optional<ServerFigures> server) {
    json.writeObjectPropertyStart("server");
    number("start_to_first_answer_ms", server.map(ServerFigures::firstAnswerMs));
    number("rss_kb", server.flatMap(ServerFigures::rssKb));
    number("peak_rss_kb", server.flatMap(ServerFigures::peakRssKb));
    json.writeEndObject();
  }

  private void latency(Histogram histogram) {
    json.writeNumberProperty("count", histogram.count());
    number("p50_ms", Optional.of(histogram.percentile(50) / 1e6));
    number("p99_ms", Optional.of(histogram.percentile(99) / 1e6));
    number("max_ms", Optional.of(histogram.max() / 1e6));
  }

  private void cpu(String kind, Optional<Window> window, long requests) {
    json.writeObjectPropertyStart(kind);
    number("server_cores", window.flatMap(Window::serverCores));
    number("server_us_per_request", window.flatMap(w -> w.serverMicrosEach(requests)));
    number("generator_cores", window.map(Window::generatorCores));
    number("generator_us_per_request", window.map(w -> w.generatorMicrosEach(requests)));
    json.writeEndObject();
  }

  /** Rounded to thousandths: a measurement has no more to give. */
  private void number(String name, Optional<? extends Number> value) {
    if (value.isEmpty()) {
      json.writeNullProperty(name);
    } else if (value.get() instanceof Long whole) {
      json.writeNumberProperty(name, whole);
    } else {
      json.writeNumberProperty(name, Math.round(value.get().doubleValue() * 1e3) / 1e3);
    }
  }
}
