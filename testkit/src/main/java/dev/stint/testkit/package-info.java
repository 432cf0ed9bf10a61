/** What tests of several modules share: suites that hold for every store, clocks, real servers. */
@NullMarked
package dev.stint.testkit;

import org.jspecify.annotations.NullMarked;
