/**
 * Reads settings, wires store, engine and contracts, listens, and stops in order.
 *
 * <p>{@link Server} does the wiring. A request comes by a {@link Listener} to {@link Front}, which
 * finds its route in the {@link RouteTable}, asks the {@link Gatekeeper}, and calls the contract
 * that the route belongs to.
 */
@NullMarked
package dev.stint.server;

import org.jspecify.annotations.NullMarked;
