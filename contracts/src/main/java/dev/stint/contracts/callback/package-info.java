/** The {@code callback} contract: tasks whose workers report with a token for that task alone. */
@NullMarked
package dev.stint.contracts.callback;

import org.jspecify.annotations.NullMarked;
