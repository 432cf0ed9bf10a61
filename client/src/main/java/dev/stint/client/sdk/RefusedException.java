package dev.stint.client.sdk;

import dev.stint.client.Answer;
import java.io.IOException;

/** The control plane understood the call and does not want it; another try would not help. */
public final class RefusedException extends IOException {
  private final int status;

  RefusedException(Answer answer) {
    super("refused with " + answer.status() + ": " + answer.problem());
    this.status = answer.status();
  }

  RefusedException(Submitted submitted) {
    super("refused with " + submitted.status() + ": " + submitted.problem());
    this.status = submitted.status();
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }
}
