package dev.stint.testkit;

import dev.stint.engine.Store;

/** A real store whose clock a test moves. */
public interface MovableStore {
  /** Opens it; again after it was closed. */
  Store open();

  /** Moves its clock on. */
  void advance(long millis);
}
