package dev.stint.contracts;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The payload of a job that is a command to run, the same to all workers.
 *
 * @param timeoutMs 0 if it may take as long as it likes
 */
public record CommandPayload(
    String command, List<String> args, @Nullable String workingDir, long timeoutMs) {
  private static final int MAX_ARGS = 10_000;
  private static final int MAX_CHARS = 128 * 1024; // what Linux takes for one argument
  private static final int MAX_PATH = 4_096;
  private static final long MAX_TIMEOUT_MS = 366L * 24 * 3_600_000;

  /**
   * The command that these fields describe, or null if they name none.
   *
   * @throws Refusal if they do, but not as it should be
   */
  public static @Nullable CommandPayload of(Fields fields) {
    String command = fields.optionalText("command", MAX_PATH);
    if (command == null) {
      return null;
    }
    if (command.isBlank()) {
      throw Refusal.invalid("command", "must not be empty");
    }
    return new CommandPayload(
        command,
        fields.optionalTexts("args", MAX_ARGS, MAX_CHARS),
        fields.filledText("working_dir", MAX_PATH),
        fields.integer("timeout_ms", 0, 0, MAX_TIMEOUT_MS));
  }

  /** The command that a job is about, or null if it is about something else. */
  public static @Nullable CommandPayload ofKept(String payload) {
    Fields fields = Fields.ofKept(payload);
    return fields == null ? null : of(fields);
  }

  /** Adds its fields to an answer, or builds the payload itself. */
  public JsonWriter addTo(JsonWriter body) {
    return body.add("command", command)
        .add("args", args)
        .add("working_dir", workingDir)
        .add("timeout_ms", timeoutMs);
  }
}
