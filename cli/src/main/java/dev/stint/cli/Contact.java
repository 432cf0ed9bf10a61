package dev.stint.cli;

import dev.stint.client.Answer;
import dev.stint.client.UnreachableException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * With a control plane that may be away for a while. That it is, and that it is back, is told once.
 */
final class Contact {
  private final ControlPlane control;
  private boolean isAway;

  Contact(ControlPlane control) {
    this.control = control;
  }

  /** Its answer, or null while none can be had. */
  @Nullable Answer get(String path) throws IOException {
    try {
      Answer answer = control.get(path);
      heard();
      return answer;
    } catch (UnreachableException e) {
      lost(e);
    } catch (RefusedException e) {
      if (!e.isForLater()) {
        throw e;
      }
      lost(e);
    }
    return null;
  }

  void lost(Exception why) {
    if (!isAway) {
      control.say("stint: " + why.getMessage() + "; waiting for it to come back");
    }
    isAway = true;
  }

  void heard() {
    if (isAway) {
      control.say("stint: the control plane answers again");
    }
    isAway = false;
  }
}
