package dev.stint.contracts;

import org.jspecify.annotations.Nullable;

/**
 * Who calls.
 *
 * @param subject whom the credential was made for; null if it names nobody
 * @param task what the caller may report on and nothing else; null if it is no task's
 */
public record Caller(Access.Role role, @Nullable String subject, @Nullable TaskPass task) {
  public static final Caller ADMIN = new Caller(Access.Role.ADMIN, null);

  /** Somebody who was not asked. */
  public static final Caller ANYONE = new Caller(Access.Role.PRODUCER, null);

  public Caller(Access.Role role, @Nullable String subject) {
    this(role, subject, null);
  }

  /** Whoever runs one attempt of one task. */
  public static Caller ofTask(TaskPass task) {
    return new Caller(Access.Role.TASK, task.taskId().toString(), task);
  }

  public boolean may(Access.Role needed) {
    return role == Access.Role.ADMIN || role == needed;
  }
}
