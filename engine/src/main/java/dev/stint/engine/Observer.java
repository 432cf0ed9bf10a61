package dev.stint.engine;

import java.util.List;

/** Is told what was committed, after it was, on the thread that did it: must not block or throw. */
public interface Observer {
  Observer NONE = commit -> {};

  void committed(Commit commit);

  /**
   * One commit.
   *
   * @param commands how many it answered
   * @param removed how many jobs it removed for good
   * @param nanos from the begin of the transaction until it was durable
   */
  record Commit(int commands, int removed, long nanos, List<Event> events) {}
}
