package dev.stint.storage;

import dev.stint.engine.Store;
import dev.stint.testkit.StrainedEngineConformance;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.io.TempDir;

class SqliteEngineTest extends StrainedEngineConformance {
  @TempDir Path folder;

  @Override
  protected Store openStore(Clock clock) {
    return Stores.open(folder.resolve("stint.db").toString(), clock);
  }
}
