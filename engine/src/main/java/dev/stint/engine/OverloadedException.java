package dev.stint.engine;

/** More commands wait than the ledger takes; nothing was done. */
public final class OverloadedException extends RuntimeException {
  public OverloadedException() {
    super("too many requests wait to be committed");
  }
}
