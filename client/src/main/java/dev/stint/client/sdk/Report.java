package dev.stint.client.sdk;

import dev.stint.client.Json;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What became of a job, as it is sent.
 *
 * @param json one of the {@code reports} of a settle call
 * @param bytes that it has in a call
 * @param mishaps how often the control plane failed over it
 */
record Report(Lease lease, Json.Text json, int bytes, int mishaps) {
  /** So that a report fits into a call, which may have a megabyte, beside what else that says. */
  static final int MAX_BYTES = 1_000_000;

  static Report completed(Lease lease, @Nullable Object result) {
    Map<String, @Nullable Object> body = lease.proof();
    body.put("result", result instanceof Json.Text text ? Json.Text.checked(text.json()) : result);
    Report report = of(lease, body);
    if (report.bytes() <= MAX_BYTES) {
      return report;
    }
    String problem =
        "the result has " + report.bytes() + " bytes; at most " + MAX_BYTES + " are taken";
    return failed(lease, new Failure("RESULT_TOO_LARGE", problem, null, false));
  }

  static Report failed(Lease lease, Failure failure) {
    Map<String, @Nullable Object> body = lease.proof();
    body.put("error", failure.toJson());
    return of(lease, body);
  }

  /** The same, after the control plane has failed over it once more. */
  Report afterMishap() {
    return new Report(lease, json, bytes, mishaps + 1);
  }

  private static Report of(Lease lease, Map<String, @Nullable Object> body) {
    String json = Json.write(body);
    return new Report(lease, new Json.Text(json), json.getBytes(StandardCharsets.UTF_8).length, 0);
  }
}
