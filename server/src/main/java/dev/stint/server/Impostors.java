package dev.stint.server;

import dev.stint.contracts.Access;
import dev.stint.contracts.Caller;
import dev.stint.contracts.Refusal;
import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Refuses workers that act in another's name, and notes it as an event: once a minute each, so that
 * nobody can fill the store with them.
 */
final class Impostors {
  private static final int MAX_REMEMBERED = 10_000;
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Engine engine;
  private final Map<String, Long> noted =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };

  Impostors(Engine engine) {
    this.engine = engine;
  }

  String check(Caller caller, String workerId, String requestId) {
    String subject = caller.subject();
    if (caller.role() != Access.Role.WORKER || subject == null || subject.equals(workerId)) {
      return workerId;
    }
    if (isNews(subject)) {
      engine.execute(new Command.NoteRefusal(subject, "acted as " + workerId), requestId);
    }
    throw Refusal.forbidden("other_worker", "this token is another worker's: act in its name only");
  }

  private synchronized boolean isNews(String subject) {
    long now = System.nanoTime();
    Long before = noted.get(subject);
    if (before != null && now - before < QUIET_NANOS) {
      return false;
    }
    noted.put(subject, now);
    return true;
  }
}
