/** What tests of more than one module need: conformance suites, a clock, real databases. */
@NullMarked
package dev.stint.testkit;

import org.jspecify.annotations.NullMarked;
