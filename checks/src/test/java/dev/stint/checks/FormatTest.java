package dev.stint.checks;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** All Java is formatted by google-java-format; {@code -Dstint.format=true} does it. */
class FormatTest {
  private static final Path ROOT = Path.of("..");

  @Test
  void allSourcesAreFormatted() throws Exception {
    List<Path> unformatted = new ArrayList<>();
    for (Path source : sources()) {
      String text = Files.readString(source);
      String formatted = format(text);
      if (!formatted.equals(text)) {
        unformatted.add(source);
        if (Boolean.getBoolean("stint.format")) {
          Files.writeString(source, formatted);
        }
      }
    }
    assertThat(Boolean.getBoolean("stint.format") ? List.<Path>of() : unformatted)
        .withFailMessage(
            "run: mvn -pl checks -am test -Dtest=FormatTest -Dstint.format=true"
                + " -Dsurefire.failIfNoSpecifiedTests=false  for %s",
            unformatted)
        .isEmpty();
  }

  private static String format(String text) throws Exception {
    String ordered = ImportOrderer.reorderImports(text, JavaFormatterOptions.Style.GOOGLE);
    return new Formatter().formatSource(RemoveUnusedImports.removeUnusedImports(ordered));
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      List<Path> sources =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> !file.toString().contains("/target/"))
              .sorted()
              .toList();
      assertThat(sources).hasSizeGreaterThan(50);
      return sources;
    }
  }
}
