package dev.stint.redis;

import dev.stint.contracts.Fields;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Refusal;
import dev.stint.engine.Command;
import dev.stint.engine.Outcome;
import dev.stint.engine.Proof;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What workers wrote into Redis in the engine's words. They write what they like, so nothing is
 * refused here: what is no JSON is taken as text, and what is too long is left out and says so.
 */
final class NativeReports {
  private static final int MAX_STEP = 200;
  private static final int MAX_CODE = 200;

  private NativeReports() {}

  /** What a worker told its readers; that it begins is known, and the end is no saying. */
  static List<Command.Emit.Saying> sayings(List<NativeSight.Said> said) {
    List<Command.Emit.Saying> sayings = new ArrayList<>();
    for (NativeSight.Said one : said) {
      if (!one.ends() && !one.type().equals("running")) {
        String type = Command.Emit.TYPE.matcher(one.type()).matches() ? one.type() : "message";
        String step = NativeMessage.inOneLine(one.step(), MAX_STEP);
        sayings.add(new Command.Emit.Saying(type, step, data(one.data())));
      }
    }
    return sayings;
  }

  private static String data(NativeSight.Text data) {
    if (data.isTooLong()) {
      return new JsonWriter().add("omitted_bytes", data.bytes()).toJson();
    }
    String json = json(data.text());
    return json == null ? "{}" : json;
  }

  /**
   * The report that ends the attempt.
   *
   * @param end the entry that told of it, or null if only the hash does
   */
  static Command.Report<Outcome.OfReport> end(
      UUID jobId, Proof proof, NativeSight sight, NativeSight.@Nullable Said end) {
    String status = sight.isOver() || end == null ? sight.status() : end.type();
    String note = end == null ? null : json(end.data().text());
    return switch (status) {
      case "done" ->
          sight.result().isTooLong()
              ? tooLong(jobId, proof, "result", sight.result().bytes())
              : new Command.Complete(jobId, proof, json(sight.result().text()), null, told(note));
      case "canceled" ->
          new Command.Stop(jobId, proof, "stopped by its worker", json(sight.error().text()), null);
      default ->
          sight.error().isTooLong()
              ? tooLong(jobId, proof, "error", sight.error().bytes())
              : failed(jobId, proof, json(sight.error().text()));
    };
  }

  /** An empty object is what most workers send for want of anything to say. */
  private static @Nullable String told(@Nullable String note) {
    return note == null || note.equals("{}") ? null : note;
  }

  private static Command.Fail failed(UUID jobId, Proof proof, @Nullable String error) {
    Fields fields = error == null || !error.startsWith("{") ? null : Fields.ofKept(error);
    String said = fields == null ? null : fields.textOrNull("code");
    String code = said == null ? "" : NativeMessage.inOneLine(said, MAX_CODE);
    return new Command.Fail(jobId, proof, false, code.isEmpty() ? "error" : code, error, null);
  }

  private static Command.Fail tooLong(UUID jobId, Proof proof, String what, long bytes) {
    String error =
        new JsonWriter()
            .add("code", "TOO_LONG")
            .add(
                "message",
                "its worker wrote a %s of %d bytes; %d are taken"
                    .formatted(what, bytes, NativeReader.MAX_JSON_BYTES))
            .toJson();
    return new Command.Fail(jobId, proof, false, "TOO_LONG", error, null);
  }

  /** The text as it is if it is JSON, or else as a JSON string; null if it is empty. */
  private static @Nullable String json(String text) {
    if (text.isBlank()) {
      return null;
    }
    String name = "v";
    try {
      Fields fields = Fields.ofKept("{\"" + name + "\":" + text + "}");
      if (fields != null && fields.names().equals(Set.of(name))) {
        return text;
      }
    } catch (Refusal e) {
      // It is no JSON.
    }
    String quoted = new JsonWriter().add(name, text).toJson();
    return quoted.substring(quoted.indexOf(':') + 1, quoted.length() - 1);
  }
}
