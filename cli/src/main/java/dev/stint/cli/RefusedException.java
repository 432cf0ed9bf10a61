package dev.stint.cli;

import dev.stint.client.Answer;

/** The control plane answered, but not with what was asked for. The message is one line. */
final class RefusedException extends RuntimeException {
  private final transient Answer answer;

  RefusedException(Answer answer, String message) {
    super(message);
    this.answer = answer;
  }

  Answer answer() {
    return answer;
  }

  /** Later the same call may go through. */
  boolean isForLater() {
    return answer.isForLater();
  }
}
