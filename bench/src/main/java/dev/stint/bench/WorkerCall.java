package dev.stint.bench;

import java.util.Locale;

/** The calls of a worker of the worker API, and how quick its document says that they are. */
enum WorkerCall {
  POLL(0, 10),
  HEARTBEAT(1, 5),
  COMPLETE(2, 20);

  private final int thirds;
  private final int promisedMs;

  WorkerCall(int thirds, int promisedMs) {
    this.thirds = thirds;
    this.promisedMs = promisedMs;
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** How many thirds of the time of a task are over when it is made. */
  int thirds() {
    return thirds;
  }

  /** All but one in a hundred take less. */
  int promisedMs() {
    return promisedMs;
  }
}
