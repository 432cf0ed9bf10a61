package dev.stint.contracts;

import org.jspecify.annotations.Nullable;

/**
 * Who calls.
 *
 * @param subject whom the credential was made for; null if it names nobody
 */
public record Caller(Access.Role role, @Nullable String subject) {
  public static final Caller ADMIN = new Caller(Access.Role.ADMIN, null);

  /** Somebody who was not asked. */
  public static final Caller ANYONE = new Caller(Access.Role.PRODUCER, null);

  public boolean may(Access.Role needed) {
    return role == Access.Role.ADMIN || role == needed;
  }
}
