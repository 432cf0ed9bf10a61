package dev.stint.storage;

import org.jspecify.annotations.Nullable;

/**
 * A database cannot be used as it is. The message is one line that says what is wrong and what to
 * do; nothing in the database was changed.
 */
public final class StoreUnusableException extends RuntimeException {
  StoreUnusableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
