package dev.stint.redis;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One kind of thing that is compared.
 *
 * @param <T> what it looks at
 */
interface Stage<T> {
  /** The things behind a place, or the first ones. */
  Page<T> page(@Nullable String place);

  /** Those of them that are not as they should be, and in what. */
  Map<T, List<Difference>> look(Collection<T> subjects);

  /** Puts them right. */
  void mend(Map<T, List<Difference>> wrong);

  /**
   * Some things to look at.
   *
   * @param next where the next page begins, or null if this was the last
   */
  record Page<T>(List<T> subjects, @Nullable String next) {}
}
