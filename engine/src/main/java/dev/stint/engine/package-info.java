/** The rules of a job's life and the ledger that makes them durable. Knows only the JDK. */
@NullMarked
package dev.stint.engine;

import org.jspecify.annotations.NullMarked;
