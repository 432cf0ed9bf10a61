package dev.stint.bench;

/** Is told how far the measuring is. */
interface Progress {
  Progress NONE = (phase, millis) -> {};

  /** So many more milliseconds of this phase are over. */
  void advanced(String phase, long millis);
}
