package dev.stint.client.sdk;

import dev.stint.client.Json;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What became of a job, as it is sent.
 *
 * @param json one of the {@code reports} of a settle call
 * @param bytes that it has in a call
 */
record Report(Lease lease, Json.Text json, int bytes) {
  /** So that a report fits into a call, which may have a megabyte, beside what else that says. */
  static final int MAX_BYTES = 1_000_000;

  private static final int MAX_STACK = 4_000;

  static Report completed(Lease lease, @Nullable Object result) {
    Map<String, @Nullable Object> body = lease.proof();
    body.put("result", result instanceof Json.Text text ? Json.Text.checked(text.json()) : result);
    Report report = of(lease, body);
    return report.bytes() <= MAX_BYTES
        ? report
        : failed(
            lease,
            "RESULT_TOO_LARGE",
            "the result has " + report.bytes() + " bytes; at most " + MAX_BYTES + " are taken",
            null,
            false);
  }

  private static Report of(Lease lease, Map<String, @Nullable Object> body) {
    String json = Json.write(body);
    return new Report(lease, new Json.Text(json), json.getBytes(StandardCharsets.UTF_8).length);
  }

  static Report failed(Lease lease, Throwable failure) {
    String message = Objects.requireNonNullElse(failure.getMessage(), failure.toString());
    return switch (lease.stopped()) {
      case Lease.Stop.Cancelled(String reason) -> failed(lease, "CANCELLED", reason, null, false);
      case Lease.Stop.Closing() ->
          failed(lease, "WORKER_STOPPED", "the worker stops", stack(failure), true);
      case Lease.Stop.Lost() -> failed(lease, "LEASE_LOST", message, null, true);
      case null ->
          failure instanceof JobFailedException said
              ? failed(lease, said.code(), message, null, said.isRetryable())
              : failed(lease, failure.getClass().getSimpleName(), message, stack(failure), true);
    };
  }

  private static Report failed(
      Lease lease, String code, String message, @Nullable String stack, boolean isRetryable) {
    Map<String, @Nullable Object> error = new LinkedHashMap<>();
    error.put("code", code);
    error.put("message", shortened(message));
    if (stack != null) {
      error.put("stack", stack);
    }
    error.put("retryable", isRetryable);
    Map<String, @Nullable Object> body = lease.proof();
    body.put("error", error);
    return of(lease, body);
  }

  private static String stack(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return shortened(text.toString());
  }

  private static String shortened(String text) {
    return text.length() <= MAX_STACK ? text : text.substring(0, MAX_STACK) + "…";
  }
}
