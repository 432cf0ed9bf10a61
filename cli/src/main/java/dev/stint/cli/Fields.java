package dev.stint.cli;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A JSON object of the control plane, as text to show. What is null or absent is empty. */
record Fields(Map<String, @Nullable Object> object) {

  String text(String name) {
    Object value = object.get(name);
    return value == null ? "" : value.toString();
  }

  boolean has(String name) {
    return object.get(name) != null;
  }

  long number(String name) {
    return object.get(name) instanceof Number number ? number.longValue() : 0;
  }

  List<String> texts(String name) {
    return object.get(name) instanceof List<?> list
        ? list.stream().map(String::valueOf).toList()
        : List.of();
  }

  /** A Unix time as an age, or nothing where there is none. */
  String age(String name, long now) {
    return number(name) == 0 ? "" : Ages.ago(now, number(name));
  }

  /** A job's command as one would type it; of a job that is no command, that. */
  String command() {
    return has("command") ? ShellWords.join(text("command"), texts("args")) : "(no command)";
  }
}
