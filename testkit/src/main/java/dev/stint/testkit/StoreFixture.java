package dev.stint.testkit;

import dev.stint.engine.Job;
import dev.stint.engine.JobIds;
import dev.stint.engine.Needs;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A store for each test, and short words for what the tests do with it. */
abstract class StoreFixture {
  private final List<Store> opened = new ArrayList<>();

  private @Nullable Store store;

  /** Opens a store on an empty database. */
  protected abstract Store openEmpty();

  /** Opens the database of the latest {@link #openEmpty()} again. */
  protected abstract Store openAgain();

  @BeforeEach
  public void openStore() {
    use(openEmpty());
  }

  /** The store under test, empty at first. */
  protected final Store store() {
    return Objects.requireNonNull(store);
  }

  @AfterEach
  public void closeStores() {
    opened.forEach(Store::close);
    opened.clear();
  }

  /** Closes the store and opens its database again. */
  protected final void reopen() {
    store().close();
    use(openAgain());
  }

  private void use(Store next) {
    store = next;
    opened.add(next);
  }

  protected final <T> T transact(Function<Store.Transaction, T> work) {
    return store().transact(work);
  }

  /** {@link #transact} with a result that assertions can tell from a predicate. */
  protected final <T> List<T> listIn(Function<Store.Transaction, List<T>> work) {
    return store().transact(work);
  }

  protected final <K, V> Map<K, V> mapIn(Function<Store.Transaction, Map<K, V>> work) {
    return store().transact(work);
  }

  protected final long numberIn(ToLongFunction<Store.Transaction> work) {
    return store().transact(work::applyAsLong);
  }

  protected final void save(ChangeSet changes) {
    changes.saveIn(store());
  }

  /** Saves {@code job} as new. */
  protected final Job saved(Job job) {
    save(new ChangeSet().arrive(job));
    return job;
  }

  protected final Job load(UUID id) {
    return store().find(id).orElseThrow().job();
  }

  protected final List<UUID> claimable(String queue, Skills skills, int limit) {
    return transact(transaction ->
        transaction.lockClaimable(queue, skills, limit).stream()
            .map(work -> work.job().id())
            .toList());
  }

  protected static Job job(String queue, Needs needs, int priority, long createdAt) {
    return SampleJobs.pending(JobIds.next(), queue, needs, priority, createdAt);
  }
}
