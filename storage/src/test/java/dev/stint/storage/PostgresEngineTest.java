package dev.stint.storage;

import dev.stint.engine.Store;
import dev.stint.testkit.NativeEngineConformance;
import dev.stint.testkit.TestPostgres;
import java.time.Clock;
import org.junit.jupiter.api.BeforeAll;

class PostgresEngineTest extends NativeEngineConformance {
  private static String url = "";

  private boolean emptied;

  @BeforeAll
  static void makeDatabase() {
    url = TestPostgres.shared().newDatabase();
  }

  @Override
  protected Store openStore(Clock clock) {
    if (!emptied) {
      Stores.open(url, clock).close();
      TestPostgres.execute(url, PostgresStoreTest.EMPTY_ALL);
      emptied = true;
    }
    return Stores.open(url, clock);
  }
}
