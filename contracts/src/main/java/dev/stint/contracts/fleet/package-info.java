/** The {@code fleet} contract: machines that run commands, and the people who send them some. */
@NullMarked
package dev.stint.contracts.fleet;

import org.jspecify.annotations.NullMarked;
