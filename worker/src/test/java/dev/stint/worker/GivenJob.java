package dev.stint.worker;

import dev.stint.client.sdk.Job;
import org.jspecify.annotations.Nullable;

/** A job as a handler gets it, of which only the payload matters. */
record GivenJob(@Nullable Object payload) implements Job {
  @Override
  public String id() {
    return "j1";
  }

  @Override
  public String queue() {
    return "q";
  }

  @Override
  public String task() {
    return "chat";
  }

  @Override
  public int attempt() {
    return 1;
  }

  @Override
  public long fence() {
    return 1;
  }

  @Override
  public void progress(int percent, String message) {}

  @Override
  public boolean isUnwanted() {
    return false;
  }
}
