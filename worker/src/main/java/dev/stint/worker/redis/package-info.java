/**
 * The native worker: it takes jobs from a Redis stream by itself, as the {@code gateway} contract
 * says, and needs no control plane to be reached. It is the reference for workers in other
 * languages, so it stays small and does one step of the contract after the other.
 */
@NullMarked
package dev.stint.worker.redis;

import org.jspecify.annotations.NullMarked;
