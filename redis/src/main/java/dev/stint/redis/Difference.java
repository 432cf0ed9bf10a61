package dev.stint.redis;

import java.util.ArrayList;
import java.util.List;

/** A key in Redis that is not as the store has it. */
public record Difference(String key, String what) {
  /** Said of a key that somebody else has made. */
  static final String OF_ANOTHER_TYPE = "is of another type";

  /** Reads what {@code look.lua} says: keys, each followed by what is wrong with it. */
  static List<Difference> all(List<String> words) {
    List<Difference> all = new ArrayList<>();
    for (int i = 0; i + 1 < words.size(); i += 2) {
      all.add(new Difference(words.get(i), words.get(i + 1)));
    }
    return all;
  }
}
