/**
 * The rules of a job's life and the ledger that makes them durable. Knows only the JDK.
 *
 * <p>The way of a command: {@link Engine} puts it into the {@link Ledger}; a writer hands all that
 * wait to the {@link Clerk}, who loads their jobs into a {@link Batch}, serves claims at the {@link
 * ClaimDesk}, asks {@link Rules}, {@link ReportRules}, {@link TimeRules} or {@link WorkerRules} for
 * a {@link Decision} on each of the others, and saves once to the {@link Store}. After the commit
 * whoever waits gets an {@link Outcome}, the {@link WaitingRoom} wakes claims, and the {@link Feed}
 * readers. What time does is a command too, given by the {@link Sweeper}.
 */
@NullMarked
package dev.stint.engine;

import org.jspecify.annotations.NullMarked;
