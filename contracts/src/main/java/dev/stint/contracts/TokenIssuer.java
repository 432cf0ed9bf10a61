package dev.stint.contracts;

import java.time.Duration;

/** Makes credentials. */
public interface TokenIssuer {
  /** A token with which {@code subject} may call as {@code role} for {@code life}. */
  String issue(Access.Role role, String subject, Duration life);
}
