package dev.stint.contracts;

import org.jspecify.annotations.Nullable;

/**
 * A call that is not answered as it wished, and why: the settled error body of all contracts.
 * Thrown where a call is read, since it ends the reading; expected refusals by the engine are
 * outcomes.
 */
public final class Refusal extends RuntimeException {
  private final int status;
  private final String code;
  private final String text;
  private final int retryAfterSeconds;

  private Refusal(int status, String code, String text, int retryAfterSeconds) {
    // No stack trace: it is an answer, not a surprise, and bad input must be cheap to refuse.
    super(code + ": " + text, null, false, false);
    this.status = status;
    this.code = code;
    this.text = text;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  public static Refusal malformed(String text) {
    return new Refusal(400, "malformed_request", text, 0);
  }

  /** A field, parameter or header that is missing or not as it should be. */
  public static Refusal invalid(String name, String mustBe) {
    return new Refusal(400, "invalid_request", "`" + name + "` " + mustBe, 0);
  }

  public static Refusal unauthorized(String text) {
    return new Refusal(401, "unauthorized", text, 0);
  }

  public static Refusal forbidden(String text) {
    return new Refusal(403, "forbidden", text, 0);
  }

  public static Refusal forbidden(String code, String text) {
    return new Refusal(403, code, text, 0);
  }

  public static Refusal notFound(String code, String text) {
    return new Refusal(404, code, text, 0);
  }

  public static Refusal methodNotAllowed(String text) {
    return new Refusal(405, "method_not_allowed", text, 0);
  }

  public static Refusal conflict(String code, String text) {
    return new Refusal(409, code, text, 0);
  }

  public static Refusal tooLarge(String text) {
    return new Refusal(413, "too_large", text, 0);
  }

  public static Refusal notJson(String text) {
    return new Refusal(415, "not_json", text, 0);
  }

  public static Refusal full(String code, String text, int retryAfterSeconds) {
    return new Refusal(429, code, text, retryAfterSeconds);
  }

  public static Refusal away(String code, String text, int retryAfterSeconds) {
    return new Refusal(503, code, text, retryAfterSeconds);
  }

  /** Too much waits to be committed. */
  public static Refusal overloaded() {
    return full("overloaded", "too many requests wait; try again", 1);
  }

  /** The store is away, so that nobody knows whether it was done. */
  public static Refusal storeAway() {
    return away("store_unavailable", "the store does not answer; try again", 2);
  }

  /** Our own mistake; says nothing about it but how to find it in the log. */
  public static Refusal unexpected(@Nullable String requestId) {
    return new Refusal(
        500,
        "internal_error",
        "something unexpected happened; the server's log tells more under request id " + requestId,
        0);
  }

  /** The body that every contract gives unless its document has one of its own. */
  public JsonWriter body() {
    return new JsonWriter().add("error", code).add("message", text);
  }

  public Reply reply() {
    return reply(body());
  }

  /** The same refusal with a body of the contract's own. */
  public Reply reply(JsonWriter body) {
    Reply reply = Reply.json(status, body);
    return retryAfterSeconds == 0
        ? reply
        : reply.with("Retry-After", Integer.toString(retryAfterSeconds));
  }
}
