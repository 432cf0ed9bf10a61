package dev.stint.client.sdk;

import dev.stint.client.Answer;
import java.io.IOException;

/** The control plane is there and does not do what it is asked to, for longer perhaps. */
final class UnwelcomeException extends IOException {
  private final transient Answer answer;

  UnwelcomeException(String message, Answer answer) {
    super(message);
    this.answer = answer;
  }

  Answer answer() {
    return answer;
  }
}
