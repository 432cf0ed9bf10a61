package dev.stint.engine;

/**
 * A client's name for one submission.
 *
 * @param requestHash tells whether a repeat asks for the same thing
 */
public record IdempotencyKey(String key, String requestHash) {}
