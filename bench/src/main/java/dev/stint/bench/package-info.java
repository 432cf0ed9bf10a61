/** The load generator behind {@code stint bench}: how many jobs a second, and what a call costs. */
@NullMarked
package dev.stint.bench;

import org.jspecify.annotations.NullMarked;
