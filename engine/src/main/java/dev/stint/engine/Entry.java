package dev.stint.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A command on its way through the ledger, and the one who waits for its outcome. */
final class Entry<O extends Outcome> {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Command<O> command;
  private final @Nullable String requestId;
  private final CompletableFuture<O> answer = new CompletableFuture<>();
  private final long bornNanos = System.nanoTime();
  private final AtomicBoolean taken = new AtomicBoolean();
  private @Nullable O outcome;

  Entry(Command<O> command, @Nullable String requestId) {
    this.command = command;
    this.requestId = requestId;
  }

  Command<O> command() {
    return command;
  }

  @Nullable String requestId() {
    return requestId;
  }

  /** Taken either by the writer, to be carried out, or by whoever gives it up. */
  boolean take() {
    return taken.compareAndSet(false, true);
  }

  /** What came of it, if the transaction that is under way is committed. */
  void outcome(O newOutcome) {
    outcome = newOutcome;
  }

  /** Tells the caller, after the commit. */
  void answer() {
    if (outcome == null) {
      answer.completeExceptionally(new IllegalStateException("no outcome for " + command));
    } else {
      answer.complete(outcome);
    }
  }

  void fail(Throwable cause) {
    answer.completeExceptionally(cause);
  }

  /** Whether it has waited for longer than any healthy commit takes. */
  boolean isOverdue(long nowNanos) {
    return nowNanos - bornNanos > PATIENCE_NANOS;
  }

  /**
   * Waits without a time limit of its own: with a virtual thread per request, setting and removing
   * one timer for each costs a tenth of the throughput. {@link Ledger} looks for what is overdue.
   */
  O await() {
    try {
      return answer.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreUnavailableException("interrupted while waiting for the store", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException expected
          ? expected
          : new IllegalStateException(e.getCause());
    }
  }
}
