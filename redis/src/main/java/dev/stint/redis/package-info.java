/** Redis beside the store: a transport for workers that speak it, and a mirror of jobs. */
@NullMarked
package dev.stint.redis;

import org.jspecify.annotations.NullMarked;
