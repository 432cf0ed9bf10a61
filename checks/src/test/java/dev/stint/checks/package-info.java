/** What holds for the tree as a whole. */
@NullMarked
package dev.stint.checks;

import org.jspecify.annotations.NullMarked;
