/** The daemon that runs commands: it takes jobs by the {@code fleet} contract and reports them. */
@NullMarked
package dev.stint.worker;

import org.jspecify.annotations.NullMarked;
