/** Calls a control plane over HTTP: what the worker daemon and the command line have in common. */
@NullMarked
package dev.stint.client;

import org.jspecify.annotations.NullMarked;
