/** The {@code worker-api} contract: workers with tokens of their own, and their admins. */
@NullMarked
package dev.stint.contracts.workerapi;

import org.jspecify.annotations.NullMarked;
