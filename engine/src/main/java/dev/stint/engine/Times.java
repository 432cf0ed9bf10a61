package dev.stint.engine;

/** All times in the engine are Unix milliseconds of the store's clock. */
public final class Times {
  /** The time that does not come; stored as NULL. */
  public static final long NEVER = Long.MAX_VALUE;

  private Times() {}

  /** {@code at + millis}, where adding to {@link #NEVER} stays {@link #NEVER}. */
  public static long after(long at, long millis) {
    return at > NEVER - millis ? NEVER : at + millis;
  }
}
