/**
 * Redis beside the store: a transport for workers that speak it, and a mirror of jobs.
 *
 * <p>{@link Redis} holds three ways together. Out: {@link RelayLoop} has the {@link Relay} read
 * notes of what changed, and the {@link Mirror} write those jobs. In: {@link NativeLoop} has {@link
 * Natives} look at what workers did with the streams, and tell the engine. Between them stands the
 * {@link Gate}, where a claim asks whether its job's message was given out already. {@link Resync}
 * compares all of Redis with the store when something may be lost.
 */
@NullMarked
package dev.stint.redis;

import org.jspecify.annotations.NullMarked;
