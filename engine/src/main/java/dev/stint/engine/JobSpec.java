package dev.stint.engine;

/**
 * What was asked for and what the rules decide by; fixed when the job is submitted.
 *
 * @param priority higher goes first
 * @param notBefore when it may first be claimed
 * @param deadlineAt FAILED once this passes, or {@link Times#NEVER}
 * @param ttlMs gone this long after its last update, or 0: then it lives until the retention of
 *     ended jobs takes it
 */
public record JobSpec(
    String queue,
    Needs needs,
    int priority,
    long createdAt,
    long notBefore,
    long deadlineAt,
    long ttlMs,
    RetryPolicy retry,
    LeasePolicy lease) {}
