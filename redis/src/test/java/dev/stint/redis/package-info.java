@NullMarked
package dev.stint.redis;

import org.jspecify.annotations.NullMarked;
