/** The page under /ui: what a browser is sent, and nothing else. */
@NullMarked
package dev.stint.dashboard;

import org.jspecify.annotations.NullMarked;
