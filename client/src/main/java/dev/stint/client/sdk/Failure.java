package dev.stint.client.sdk;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Why a job failed, as a control plane is told.
 *
 * @param code a word for programs
 * @param message for people
 * @param stack where it happened, or null
 */
public record Failure(String code, String message, @Nullable String stack, boolean isRetryable) {
  private static final int MAX_CODE = 200;
  private static final int MAX_TEXT = 4_000;

  public Failure {
    code = shortened(code, MAX_CODE);
    message = shortened(message, MAX_TEXT);
    stack = stack == null ? null : shortened(stack, MAX_TEXT);
  }

  /** Of what a handler threw, if its work was wanted to the end. Always gives one. */
  public static Failure of(Throwable thrown, Work.@Nullable Stop stop) {
    try {
      return told(thrown, stop);
    } catch (RuntimeException | Error e) { // it is code of the handler's own that tells
      return new Failure("ERROR", thrown.getClass().getName(), null, true);
    }
  }

  private static Failure told(Throwable thrown, Work.@Nullable Stop stop) {
    String message = Objects.requireNonNullElse(thrown.getMessage(), thrown.toString());
    return switch (stop) {
      case Work.Stop.Cancelled(String reason) -> new Failure("CANCELLED", reason, null, false);
      case Work.Stop.Closing() -> new Failure("WORKER_STOPPED", "the worker stops", null, true);
      case Work.Stop.Lost() -> new Failure("LEASE_LOST", message, null, true);
      case null ->
          thrown instanceof JobFailedException said
              ? new Failure(
                  Objects.requireNonNullElse(said.code(), "ERROR"),
                  message,
                  null,
                  said.isRetryable())
              : new Failure(thrown.getClass().getSimpleName(), message, stack(thrown), true);
    };
  }

  private static String stack(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  static String shortened(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most) + "…";
  }

  public Map<String, @Nullable Object> toJson() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("code", code);
    json.put("message", message);
    if (stack != null) {
      json.put("stack", stack);
    }
    json.put("retryable", isRetryable);
    return json;
  }
}
