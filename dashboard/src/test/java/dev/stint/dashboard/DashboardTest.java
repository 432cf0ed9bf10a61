package dev.stint.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DashboardTest {
  private static final Path FILES = Path.of("src/main/resources/dev/stint/dashboard");

  @Test
  void everyFileIsServedAndNothingElse() throws Exception {
    Set<String> served = new HashSet<>(Dashboard.PARTS);
    served.add("index.html");
    try (Stream<Path> files = Files.list(FILES)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(served);
    }
  }

  @Test
  void noScriptTurnsTextIntoMarkupOrCode() throws Exception {
    for (String part : Dashboard.PARTS) {
      assertThat(Files.readString(FILES.resolve(part)))
          .as(part)
          .doesNotContainIgnoringCase("innerHTML")
          .doesNotContainIgnoringCase("outerHTML")
          .doesNotContain("insertAdjacentHTML", "setHTML", "document.write", "DOMParser")
          .doesNotContain("eval(", "new Function", "createContextualFragment");
    }
  }

  @Test
  void nothingIsLoadedFromElsewhere() throws Exception {
    List<String> all = Stream.concat(Dashboard.PARTS.stream(), Stream.of("index.html")).toList();
    for (String part : all) {
      assertThat(Files.readString(FILES.resolve(part)).replace("http://www.w3.org/2000/svg", ""))
          .as(part)
          .doesNotContain("http:", "https:", "url(", "@import");
    }
  }
}
