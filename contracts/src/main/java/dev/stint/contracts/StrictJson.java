package dev.stint.contracts;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/** What counts as JSON here: UTF-8 to the letter, no name twice, nothing too deep. */
final class StrictJson {
  private static final int MAX_DEPTH = 64;
  private static final int MAX_NUMBER = 1_000;
  private static final int MAX_NAME = 10_000;

  /** What the parser tells those who program it, not those who sent the text. */
  private static final Pattern ADVICE =
      Pattern.compile("( \\(start marker|: enable `|; byte offset| \\(`Stream).*", Pattern.DOTALL);

  static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          // Names come from outside: a table of them would be shared state that anyone can fill.
          .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(MAX_NUMBER)
                  .maxNameLength(MAX_NAME)
                  .build())
          .build();

  private StrictJson() {}

  static String decode(byte[] body) {
    if (body.length == 0) {
      throw Refusal.malformed("the body is empty; it must be a JSON object");
    }
    String text = new String(body, StandardCharsets.UTF_8);
    // Decoding puts U+FFFD for what is not UTF-8; only if one is there the slow way has to tell
    // whether it was in the text itself.
    if (text.indexOf('\uFFFD') >= 0 && !isUtf8(body)) {
      throw Refusal.malformed("the body is not valid UTF-8");
    }
    return text;
  }

  private static boolean isUtf8(byte[] body) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  static Refusal malformed(JacksonException e) {
    if (e instanceof StreamConstraintsException) {
      return Refusal.malformed(
          "the body has more than %d levels, a number of more than %d characters, or a name of more than %d"
              .formatted(MAX_DEPTH, MAX_NUMBER, MAX_NAME));
    }
    TokenStreamLocation place = e.getLocation();
    return Refusal.malformed(
        "the body is not valid JSON (line %d, column %d): %s"
            .formatted(
                place == null ? 0 : place.getLineNr(),
                place == null ? 0 : place.getColumnNr(),
                ADVICE.matcher(e.getOriginalMessage()).replaceFirst("")));
  }

  /** Why a string cannot be a name or an id, or null if it can. */
  static @Nullable String problemOf(String string, int max) {
    if (string.isEmpty()) {
      return "must not be empty";
    }
    if (string.length() > max) {
      return "may have at most " + max + " characters";
    }
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      if (Character.isISOControl(c)) {
        return "must not have control characters";
      }
      if (Character.isHighSurrogate(c)
          && i + 1 < string.length()
          && Character.isLowSurrogate(string.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(c)) {
        return "must not have half a surrogate pair";
      }
    }
    return null;
  }

  /** The text without what cannot be shown or stored, or null if nothing is left of it. */
  static @Nullable String inOneLine(String text, int max) {
    StringBuilder line = new StringBuilder();
    text.codePoints()
        .map(c -> Character.isISOControl(c) ? ' ' : c)
        .filter(c -> c > Character.MAX_VALUE || !Character.isSurrogate((char) c))
        .limit(max)
        .forEach(line::appendCodePoint);
    String stripped = line.toString().strip();
    return stripped.isEmpty() ? null : stripped;
  }
}
