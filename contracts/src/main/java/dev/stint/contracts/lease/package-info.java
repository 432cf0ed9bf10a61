/**
 * The {@code lease} contract: workers that claim, heartbeat and complete under /internal/worker.
 */
@NullMarked
package dev.stint.contracts.lease;

import org.jspecify.annotations.NullMarked;
