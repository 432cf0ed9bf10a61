/** Reads settings, wires store, engine and contracts, listens, and stops in order. */
@NullMarked
package dev.stint.server;

import org.jspecify.annotations.NullMarked;
