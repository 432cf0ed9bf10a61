package dev.stint.contracts;

import dev.stint.engine.Lease;
import dev.stint.engine.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes credentials. */
public interface TokenIssuer {
  /** A token with which {@code subject} may call as {@code role} for {@code life}. */
  String issue(Access.Role role, String subject, Duration life);

  /** A token for whoever runs the attempt that {@code lease} is about. */
  TaskToken issueTask(Scope scope, UUID taskId, Lease lease, Duration life);

  /**
   * A token in place of {@code old}, with as long a life, once three quarters of that are over;
   * else null.
   */
  @Nullable TaskToken renew(TaskPass old);

  /** A token, and when it is void. */
  record TaskToken(String token, Instant expiresAt) {
    @Override
    public String toString() {
      return "TaskToken[until " + expiresAt + "]";
    }
  }
}
