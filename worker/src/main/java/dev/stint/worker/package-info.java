/**
 * The daemon that runs commands: it takes jobs by the {@code fleet} contract and reports them.
 *
 * <p>{@link Daemon} has a {@link Session} and as many {@link Slot}s as it runs jobs at once; a slot
 * makes a {@link Run} of each job that it gets, and {@link Reporter} brings what came of it to the
 * control plane. {@link Heartbeat} keeps all of it alive, and {@link State} is what the next start
 * has to know.
 */
@NullMarked
package dev.stint.worker;

import org.jspecify.annotations.NullMarked;
