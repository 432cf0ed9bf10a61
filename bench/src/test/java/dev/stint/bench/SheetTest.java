package dev.stint.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

class SheetTest {
  @TempDir Path temporary = Path.of("");

  private final Sheet sheet =
      new Sheet("sample", "A <sample>", "who", "jobs/s", "rounds")
          .fact("database", "SQLite")
          .row("one", 12_345.6, 3)
          .row("other | one", Optional.empty(), 1)
          .atLeast("rate", 10_000, Optional.of(12_345.6))
          .atMost("time", 1.5, Optional.of(1.61))
          .atMost("nothing", 1.5, Optional.empty())
          .note("a note")
          .chart("jobs/s", false, "who");

  @Test
  void aPersonReadsFactsTableVerdictsAndNotes() {
    StringWriter text = new StringWriter();
    new SheetText(new PrintWriter(text)).print(sheet);
    assertThat(text.toString())
        .contains("A <sample>", "database     SQLite", "12,346", "a note")
        .containsPattern("other \\| one +- +1\\n")
        .containsPattern("rate +at least 10,000 +12,346 +reached")
        .containsPattern("time +at most 1.50 +1.61 +missed")
        .containsPattern("nothing +at most 1.50 +- +not measured");
  }

  @Test
  void aProgramReadsTheSameAndNullWhereThereIsNothing() {
    assertThat(SheetJson.of(List.of(sheet)))
        .contains("\"ok\":true", "\"database\":\"SQLite\"")
        .contains("{\"who\":\"one\",\"jobs_per_s\":12345.6,\"rounds\":3}")
        .contains("{\"who\":\"other | one\",\"jobs_per_s\":null,\"rounds\":1}")
        .contains("\"measured\":1.61,\"reached\":false")
        .contains("\"notes\":[\"a note\"]");
  }

  @Test
  void aRowHasACellForEachColumn() {
    assertThatThrownBy(() -> sheet.row("one", 1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theChartIsAnImageWithABarForEachNumber() throws Exception {
    String svg = BarChart.of(sheet, sheet.chart().orElseThrow());
    Document image =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    assertThat(image.getElementsByTagName("rect").getLength()).isEqualTo(1);
    assertThat(image.getElementsByTagName("title").item(0).getTextContent())
        .isEqualTo("A <sample>: jobs/s");
  }

  @Test
  void thePageKeepsOneSectionForEachMeasurement() throws Exception {
    PerformancePage page = new PerformancePage(temporary.resolve("out/page.md"));
    page.write(new Sheet("first", "First", "n").row(1), "./stint first");
    page.write(sheet, "./stint sample");
    page.write(new Sheet("first", "First again", "n").row(2), "./stint first");
    String text = Files.readString(temporary.resolve("out/page.md"));
    assertThat(text)
        .startsWith("# Performance")
        .contains("## First again", "## A <sample>", "`./stint sample`", "load average")
        .contains("| other \\| one | - | 1 |", "![A <sample>](page/sample.svg)")
        .doesNotContain("## First\n");
    assertThat(text.indexOf("## First again")).isLessThan(text.indexOf("## A <sample>"));
    assertThat(temporary.resolve("out/page/sample.svg")).exists();
  }

  @Test
  void theVerdictsOfAllSectionsStandTogetherAndWhatAPersonWroteStays() throws Exception {
    Path file = temporary.resolve("page.md");
    Files.writeString(
        file, "# Mine\n\n<!-- verdicts -->\n<!-- end of verdicts -->\n\n## My own words\n");
    PerformancePage page = new PerformancePage(file);
    Sheet other = new Sheet("other", "10,000 others", "n").row(1);
    page.write(other.atLeast("speed", 2, Optional.of(1.0)), "./stint other");
    page.write(sheet, "./stint sample");
    page.write(sheet, "./stint sample");
    String text = Files.readString(file);
    assertThat(text).startsWith("# Mine").containsOnlyOnce("## My own words");
    String verdicts = text.substring(0, text.indexOf("<!-- end of verdicts -->"));
    assertThat(verdicts)
        .containsOnlyOnce(
            "| [10,000 others](#10000-others) | speed | at least 2.00 | 1.00 | missed |\n")
        .containsOnlyOnce(
            "| [A <sample>](#a-sample) | rate | at least 10,000 | 12,346 | reached |\n")
        .contains("| nothing | at most 1.50 | - | not measured |\n");
    assertThat(verdicts.lines().filter(line -> line.startsWith("| ["))).hasSize(4);
  }
}
