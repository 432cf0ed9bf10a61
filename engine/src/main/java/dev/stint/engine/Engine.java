package dev.stint.engine;

import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The one way in for contracts. */
@SuppressWarnings("DoNotCallSuggester")
public final class Engine implements AutoCloseable {

  /** Sweeps once, and from then on takes commands. */
  public static Engine start(Store store, EngineSettings settings, Observer observer) {
    throw new IllegalStateException();
  }

  /**
   * Carries out a command and returns when it is durable.
   *
   * @param requestId is written into the events that it causes
   * @throws OverloadedException if too many wait already
   * @throws StoreUnavailableException if the store is away
   */
  public <O extends Outcome> O execute(Command<O> command, @Nullable String requestId) {
    throw new IllegalStateException();
  }

  /**
   * Like {@link #execute} for a claim, but waits up to {@code maxWaitMs} for a job to come.
   *
   * @param clientIsThere asked before a job is taken for a client that has waited
   */
  public Outcome.OfClaim claim(
      Command.Claim claim, long maxWaitMs, BooleanSupplier clientIsThere, @Nullable String requestId) {
    throw new IllegalStateException();
  }

  /** The job, unless it does not exist or has outlived its TTL. */
  public Optional<Store.JobView> find(UUID jobId) {
    throw new IllegalStateException();
  }

  /** How many jobs there are by queue and state, as this control plane knows it. Never counts. */
  public Map<Store.TallyKey, Long> tally() {
    throw new IllegalStateException();
  }

  /** The store's clock; throws if it does not answer. */
  public long now() {
    throw new IllegalStateException();
  }

  /** Answers all waiting claims with nothing, and lets no further one wait. */
  public void stopWaiting() {}

  /** Commits what has been accepted, and stops. The store stays open. */
  @Override
  public void close() {}
}
