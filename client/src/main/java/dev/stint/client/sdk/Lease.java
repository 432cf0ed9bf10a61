package dev.stint.client.sdk;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A job that this worker holds, and what has become of the hold meanwhile. */
final class Lease implements Job {
  private static final int MAX_MESSAGE = 1_000;

  private final Map<String, @Nullable Object> claimed;
  private final Work work = new Work();
  private @Nullable Map<String, @Nullable Object> progress;
  private @Nullable Map<String, @Nullable Object> sentProgress;

  /** Of one of the {@code jobs} in the answer to a claim. */
  Lease(Map<String, @Nullable Object> claimed) {
    this.claimed = claimed;
    if (Boolean.TRUE.equals(claimed.get("cancel"))) {
      work.stop(new Work.Stop.Cancelled(String.valueOf(claimed.get("cancel_reason"))));
    }
  }

  @Override
  public String id() {
    return text("job_id");
  }

  String attemptId() {
    return text("attempt_id");
  }

  @Override
  public String queue() {
    return text("stream");
  }

  @Override
  public @Nullable String task() {
    return claimed.get("task") instanceof String task ? task : null;
  }

  @Override
  public @Nullable Object payload() {
    return claimed.get("payload");
  }

  @Override
  public int attempt() {
    return claimed.get("attempt") instanceof Number number ? number.intValue() : 0;
  }

  @Override
  public long fence() {
    return claimed.get("fence") instanceof Number number ? number.longValue() : 0;
  }

  /** How often the control plane wants to hear of it. */
  Duration heartbeatInterval() {
    return seconds("heartbeat_interval_seconds", Duration.ofSeconds(20));
  }

  /** How long it lasts without a heartbeat. */
  Duration ttl() {
    return seconds("lease_ttl_seconds", Duration.ofSeconds(60));
  }

  private Duration seconds(String name, Duration absent) {
    return claimed.get(name) instanceof Number seconds
        ? Duration.ofMillis((long) (seconds.doubleValue() * 1_000))
        : absent;
  }

  private String text(String name) {
    return String.valueOf(claimed.get(name));
  }

  /** What every call about it has to carry. */
  Map<String, @Nullable Object> proof() {
    Map<String, @Nullable Object> proof = new LinkedHashMap<>();
    proof.put("job_id", id());
    proof.put("attempt_id", attemptId());
    proof.put("lease_token", claimed.get("lease_token"));
    return proof;
  }

  /** The proof, and what is new since the last beat that was heard. */
  synchronized Map<String, @Nullable Object> beat() {
    Map<String, @Nullable Object> beat = proof();
    if (progress != null) {
      beat.putAll(progress);
    }
    sentProgress = progress;
    return beat;
  }

  /** The last beat was answered. */
  synchronized void heard() {
    if (Objects.equals(progress, sentProgress)) {
      progress = null;
    }
  }

  @Override
  public synchronized void progress(int percent, String message) {
    if (percent < 0 || percent > 100) {
      throw new IllegalArgumentException("progress must be from 0 to 100: " + percent);
    }
    progress = new LinkedHashMap<>();
    progress.put("progress", percent);
    progress.put("message", Failure.shortened(message, MAX_MESSAGE));
  }

  @Override
  public boolean isUnwanted() {
    return work.stopped() != null;
  }

  Work work() {
    return work;
  }

  @Override
  public String toString() {
    return "job " + id() + " (attempt " + attempt() + ")";
  }
}
