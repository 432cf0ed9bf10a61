package dev.stint.client.sdk;

import dev.stint.client.Json;
import org.jspecify.annotations.Nullable;

/** A job in the hands of a {@link Handler}. */
public interface Job {
  String id();

  String queue();

  /** What kind of work it is, or null if whoever submitted it did not say. */
  @Nullable String task();

  /** What there is to do, as {@link dev.stint.client.Json} reads it: most often a map. */
  @Nullable Object payload();

  /**
   * The payload as one line of JSON, for other libraries and programs. If the transport has its
   * text, as the {@code gateway} contract does, that is what it is: also numbers that neither a
   * {@code Long} nor a {@code Double} holds stay what they are.
   */
  default String payloadJson() {
    return Json.write(payload());
  }

  /** Which try this is, from 1 on; 0 if the transport does not tell. */
  int attempt();

  /**
   * A number that grows with every time the job is given to a worker, for whatever the handler
   * writes to; 0 if the transport does not tell.
   */
  long fence();

  /** Tells how far it is. It goes out with the next heartbeat; the last one said before counts. */
  void progress(int percent, String message);

  /**
   * Whether the work is not wanted any more: it was cancelled, given to another worker, or this
   * worker stops. The handler's thread has been interrupted then.
   */
  boolean isUnwanted();
}
