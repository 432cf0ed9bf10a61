package dev.stint.worker;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What became of a job, as it is sent. It is kept in the state file until the control plane has it.
 */
record Report(Kind kind, Map<String, @Nullable Object> body) {
  enum Kind {
    COMPLETED("/complete"),
    FAILED("/fail"),
    RELEASED("/release");

    private final String path;

    Kind(String path) {
      this.path = path;
    }

    String path() {
      return path;
    }

    /** Whether the job has ended with it; a job that is released waits again. */
    boolean isEnd() {
      return this != RELEASED;
    }
  }

  Report {
    body = Collections.unmodifiableMap(new LinkedHashMap<>(body));
  }

  static Report of(Kind kind, String workerId, Assignment job) {
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("job_id", job.jobId());
    body.put("worker_id", workerId);
    body.put("assignment_id", job.assignmentId());
    return new Report(kind, body);
  }

  /** With a further field, unless it is null. */
  Report with(String name, @Nullable Object value) {
    if (value == null) {
      return this;
    }
    Map<String, @Nullable Object> more = new LinkedHashMap<>(body);
    more.put(name, value);
    return new Report(kind, more);
  }

  String jobId() {
    return String.valueOf(body.get("job_id"));
  }

  String workerId() {
    return String.valueOf(body.get("worker_id"));
  }

  String assignmentId() {
    return String.valueOf(body.get("assignment_id"));
  }

  /** As it stands in the state file and in {@code completed_jobs}. */
  Map<String, @Nullable Object> toJson() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>(body);
    json.put("status", kind.name());
    return json;
  }

  /**
   * Reads what {@link #toJson} gave.
   *
   * @throws IllegalArgumentException if it is something else
   */
  static Report of(Map<String, @Nullable Object> json) {
    Map<String, @Nullable Object> body = new LinkedHashMap<>(json);
    Kind kind = Kind.valueOf(String.valueOf(body.remove("status")));
    for (String name : new String[] {"job_id", "worker_id", "assignment_id"}) {
      if (!(body.get(name) instanceof String)) {
        throw new IllegalArgumentException("a result without " + name);
      }
    }
    return new Report(kind, body);
  }
}
