package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.contracts.Bulk;
import dev.stint.contracts.Fields;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Reply;
import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.Observer;
import dev.stint.engine.Outcome;
import dev.stint.engine.Store;
import dev.stint.storage.Stores;
import dev.stint.testkit.Orders;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many calls in one, of which some go wrong in ways that nobody thought of. */
class BulkTest {
  private static final String ITEMS =
      "{\"items\":[{\"n\":\"good\"},{\"n\":\"unreadable\"},{\"n\":\"broken\"},{\"n\":\"good\"}]}";

  @Test
  void oneThatFailsUnexpectedlyTakesNoOtherWithIt(@TempDir Path folder) {
    List<Fields> items = Fields.of(ITEMS.getBytes(StandardCharsets.UTF_8)).objects("items", 10);
    try (Store store = Stores.open(folder.resolve("stint.db").toString(), Clock.systemUTC());
        Engine engine = Engine.start(store, EngineSettings.DEFAULT, Observer.NONE)) {
      String results = Bulk.send(engine, items, BulkTest::read, BulkTest::tell, "r1").results();

      assertThat(Pattern.compile("\"status\":(\\d+)").matcher(results).results())
          .extracting((MatchResult match) -> match.group(1))
          .containsExactly("200", "500", "500", "200");
      assertThat(results).contains("under request id r1").doesNotContain("nobody thought");
    }
  }

  private static Command.Submit read(Fields item) {
    if (item.string("n").equals("unreadable")) {
      throw new IllegalStateException("nobody thought of it");
    }
    return Orders.submit("q");
  }

  private static Reply tell(Fields item, Outcome outcome) {
    if (item.string("n").equals("broken")) {
      throw new IllegalStateException("nobody thought of " + outcome);
    }
    return Reply.json(200, new JsonWriter());
  }
}
