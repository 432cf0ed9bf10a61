/**
 * Delivers tasks to the places that they name: a lane per target, signed, and to checked addresses.
 */
@NullMarked
package dev.stint.server.dispatch;

import org.jspecify.annotations.NullMarked;
