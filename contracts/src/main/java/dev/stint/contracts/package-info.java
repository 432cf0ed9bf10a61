/**
 * The wire: what contracts have in common. Each dialect is a package of its own with the same
 * roles; none holds a rule: they parse, call the engine and answer.
 */
@NullMarked
package dev.stint.contracts;

import org.jspecify.annotations.NullMarked;
