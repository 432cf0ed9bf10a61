package dev.stint.client;

import org.jspecify.annotations.Nullable;

/**
 * One event of a stream.
 *
 * @param id to go on behind it, or null if it has none
 */
public record ServerEvent(@Nullable String id, String type, String data) {}
