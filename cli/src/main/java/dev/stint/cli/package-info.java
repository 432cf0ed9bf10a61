/** The command line: {@code stint server} and its sisters. */
@NullMarked
package dev.stint.cli;

import org.jspecify.annotations.NullMarked;
