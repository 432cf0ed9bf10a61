package dev.stint.contracts;

/** Answers one call; may block. */
@FunctionalInterface
public interface Handler {
  /**
   * Reads the call, has the engine do it, and tells what came of it.
   *
   * @throws Refusal if the call is not as the contract wants it
   */
  Reply handle(Call call);
}
