package dev.stint.contracts;

import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads ids that come from outside. */
public final class Uuids {
  /** No attempt and no job ever has this id. */
  private static final UUID OF_NOTHING = new UUID(0, 0);

  private static final int LENGTH = 36;

  private Uuids() {}

  /** The id; what is none names nothing, and is answered like any other unknown one. */
  public static UUID parseOrNothing(String text) {
    return Objects.requireNonNullElse(parse(text), OF_NOTHING);
  }

  /** The id, or null if it is not written as a UUID is: no such thing can exist then. */
  public static @Nullable UUID parse(String text) {
    if (text.length() != LENGTH) {
      return null;
    }
    try {
      UUID id = UUID.fromString(text);
      // The JDK takes groups of any length; only the usual form is one of ours.
      return id.toString().equalsIgnoreCase(text) ? id : null;
    } catch (IllegalArgumentException notOne) {
      return null;
    }
  }
}
