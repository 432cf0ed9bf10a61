package dev.stint.storage;

import dev.stint.engine.Store;
import dev.stint.testkit.ModelConformance;
import dev.stint.testkit.MovableStore;
import dev.stint.testkit.TestPostgres;
import java.time.Clock;
import net.jqwik.api.lifecycle.BeforeContainer;

class PostgresModelTest extends ModelConformance {
  private static String url = "";

  @BeforeContainer
  static void makeDatabase() {
    url = TestPostgres.shared().newDatabase();
  }

  @Override
  protected MovableStore movableStore() {
    return new MovableStore() {
      @Override
      public Store open() {
        return Stores.open(url, Clock.systemUTC());
      }

      // The database's clock cannot be moved on, so all that is to come is moved nearer.
      @Override
      public void advance(long millis) {
        TestPostgres.execute(
            url,
            """
            UPDATE stint.job SET ready_at = ready_at - %1$d, lease_until = lease_until - %1$d,
              deadline_at = deadline_at - %1$d,
              cancel_until = cancel_until - %1$d, updated_at = updated_at - %1$d,
              due_at = due_at - %1$d
            """
                .formatted(millis));
      }
    };
  }
}
