package dev.stint.contracts;

import dev.stint.engine.Scope;
import java.time.Instant;
import java.util.UUID;

/**
 * What a task token says: whoever has it runs this attempt of this task.
 *
 * @param fence tells apart two claims that are the same attempt by number
 * @param issuedAt to the second
 * @param expiresAt to the second
 */
public record TaskPass(
    Scope scope, UUID taskId, int attempt, long fence, Instant issuedAt, Instant expiresAt) {}
