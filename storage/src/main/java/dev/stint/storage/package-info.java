/**
 * The engine's {@code Store} in SQL: SQLite for one control plane, PostgreSQL for several.
 *
 * <p>{@link Stores} opens a {@link SqliteStore} or a {@link PostgresStore}; what both do alike is
 * in {@link SqlStore} and {@link SqlTransaction}, what they say differently in a {@link Dialect}.
 * How a row becomes an object is a class for each table, such as {@link JobTable}. A save is taken
 * apart by {@link Saving} into {@link Part}s, for which {@link SqliteSaves} and {@link
 * PostgresSaves} have the statements; {@link SqlReads}, {@link SqlLists} and {@link OperatorReads}
 * read.
 */
@NullMarked
package dev.stint.storage;

import org.jspecify.annotations.NullMarked;
