package dev.stint.bench;

import java.util.Locale;

/** The calls that are timed. */
enum Call {
  ECHO,
  SUBMIT,
  CLAIM,
  COMPLETE;

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
