package dev.stint.engine;

/** What is done with texts of any length. */
public final class Texts {
  private Texts() {}

  /** The first {@code max} characters, but never half of one. */
  public static String cut(String text, int max) {
    if (text.length() <= max) {
      return text;
    }
    return text.substring(0, Character.isHighSurrogate(text.charAt(max - 1)) ? max - 1 : max);
  }
}
