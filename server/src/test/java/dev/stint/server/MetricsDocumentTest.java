package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The table of metrics has all that there are. */
class MetricsDocumentTest {
  private static final Pattern NAME = Pattern.compile("(?m)^# TYPE (stint_\\w+?)(_max)? ");

  @Test
  void everyMetricStandsInItsDocument(@TempDir Path folder) throws Exception {
    String document = Files.readString(Path.of("../docs/operating.md"));
    try (TestServer server = TestServer.start(folder)) {
      server.get("/healthz");
      List<String> names =
          NAME.matcher(server.get("/metrics").body())
              .results()
              .map(match -> match.group(1))
              .toList();
      assertThat(names).contains("stint_events_total", "stint_commit_seconds");
      assertThat(names).allMatch(name -> document.contains("\n| `" + name + "` |"));
    }
  }
}
