/** The engine's {@code Store} in SQL: SQLite for one control plane, PostgreSQL for several. */
@NullMarked
package dev.stint.storage;

import org.jspecify.annotations.NullMarked;
