package dev.stint.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A command on its way through the ledger, and the one who waits for its outcome. */
final class Entry<O extends Outcome> {
  /** Longer than any healthy commit; after it the caller is told that the store does not answer. */
  private static final long PATIENCE_SECONDS = 30;

  private final Command<O> command;
  private final @Nullable String requestId;
  private final CompletableFuture<O> answer = new CompletableFuture<>();
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

  /** Taken either by the writer, to be carried out, or by the caller, who gives up. */
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

  O await() {
    try {
      return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      String fate = take() ? "nothing was done" : "it may still be carried out";
      throw new StoreUnavailableException("the store does not answer; " + fate, e);
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
