package dev.stint.bench;

import java.io.IOException;

/** What a connection asks next. One script serves all connections of a loop, on one thread. */
interface Script {

  /** Sends the connection's first request. */
  void begin(Connection connection, long nowNanos) throws IOException;

  /**
   * Checks the answer that has come and sends the next request.
   *
   * @param counts whether the answer came within the measured window; once it is over, nothing new
   *     is begun
   * @return false when the connection has nothing more to ask
   */
  boolean answered(Connection connection, long nowNanos, boolean counts)
      throws IOException, RunFailedException;

  /** Whether the loop is to end at once, whatever is still awaited. */
  default boolean isOver() {
    return false;
  }

  /** The call that the connection waits for, for the message when no answer comes. */
  Call awaited(Connection connection);
}
