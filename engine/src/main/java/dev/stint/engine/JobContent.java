package dev.stint.engine;

import org.jspecify.annotations.Nullable;

/**
 * What a job is about; the rules never look at it. JSON is kept as the text that came in.
 *
 * @param contract the contract through which it was submitted
 * @param task the kind of work, where the contract has one
 * @param payload JSON
 * @param metadata a JSON object for people and filters
 * @param attributes a JSON object of what only its own contract knows
 */
public record JobContent(
    String contract,
    @Nullable String task,
    String payload,
    @Nullable String metadata,
    Scope scope,
    @Nullable String attributes) {}
