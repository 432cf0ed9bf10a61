package dev.stint.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.stint.engine.Job;
import dev.stint.engine.Transport;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the streams' groups for the messages of jobs that were claimed. Many claims ask at once: all
 * that wait share one call, on one connection. Redis may hold claims up for a second; after that
 * nobody waits for it until it answers again.
 */
final class Gate implements Transport, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Gate.class);
  private static final Script TAKE = Script.of("mark", "take");
  private static final long PATIENCE_MS = 1_000;
  private static final int MAX_WISHES = 10_000;
  private static final int MAX_AT_ONCE = 512;

  private final RedisLink link;
  private final Predicate<UUID> isUnshown;
  private final long nativeLeaseMs;
  private final Runnable onDelivered;
  private final Consumer<List<UUID>> onLate;
  private final BlockingQueue<Wish> wishes = new ArrayBlockingQueue<>(MAX_WISHES);
  private final Thread thread;

  /** Jobs of which Redis was asked without an answer: it may still do what it was asked for. */
  private final Set<UUID> unanswered = new LinkedHashSet<>();

  private volatile boolean closed;
  private @Nullable CompletableFuture<?> overdue;

  private record Wish(List<Job> jobs, CompletableFuture<List<Taking>> answer) {}

  /**
   * A gate that is open.
   *
   * @param isUnshown whether a job cannot have a message yet, so that none has to be asked for
   * @param onDelivered called when a worker is found that had got a job which was claimed
   * @param onLate called with jobs of which Redis was asked and did not answer in time, once it
   *     answers again: what it did for them may have been too late
   */
  Gate(
      RedisLink link,
      Predicate<UUID> isUnshown,
      long nativeLeaseMs,
      Runnable onDelivered,
      Consumer<List<UUID>> onLate) {
    this.link = link;
    this.isUnshown = isUnshown;
    this.nativeLeaseMs = nativeLeaseMs;
    this.onDelivered = onDelivered;
    this.onLate = onLate;
    this.thread = Thread.ofPlatform().name("stint-gate").daemon().start(this::work);
  }

  @Override
  public long nativeLeaseMs() {
    return nativeLeaseMs;
  }

  @Override
  public List<Taking> take(List<Job> jobs) {
    List<Job> shown = jobs.stream().filter(this::mayBeShown).toList();
    if (shown.isEmpty() || closed) {
      return untaken(jobs);
    }
    // The one who asks is answered in any case, so that this needs no timer of its own.
    Wish wish = new Wish(shown, new CompletableFuture<>());
    if (!wishes.offer(wish)) {
      return untaken(jobs);
    }
    if (closed) {
      drain();
    }
    return merged(jobs, shown, wish.answer().join());
  }

  /** Only what asks nothing of its worker is ever put into a stream. */
  private boolean mayBeShown(Job job) {
    return JobImage.isForAll(job) && !isUnshown.test(job.id());
  }

  private static List<Taking> merged(List<Job> jobs, List<Job> asked, List<Taking> answers) {
    if (jobs.size() == asked.size()) {
      return answers;
    }
    List<Taking> all = new ArrayList<>(jobs.size());
    int next = 0;
    for (Job job : jobs) {
      boolean wasAsked = next < asked.size() && asked.get(next).id().equals(job.id());
      all.add(wasAsked ? answers.get(next++) : untaken(job));
    }
    return all;
  }

  private static List<Taking> untaken(List<Job> jobs) {
    return jobs.stream().map(Gate::untaken).toList();
  }

  private static Taking untaken(Job job) {
    return Taking.Taken.withoutMessage(job);
  }

  private void work() {
    while (!closed) {
      List<Wish> together = new ArrayList<>();
      try {
        Wish first = unanswered.isEmpty() ? wishes.take() : wishes.poll(1, TimeUnit.SECONDS);
        if (first == null) {
          List<String> ignored = ask(List.of());
          continue;
        }
        together.add(first);
        wishes.drainTo(together, MAX_AT_ONCE - 1);
        answer(together);
      } catch (InterruptedException e) {
        together.forEach(wish -> wish.answer().complete(untaken(wish.jobs())));
        break;
      } catch (Throwable e) {
        LOG.error("cannot ask Redis for messages, claims go on without it", e);
        together.forEach(wish -> wish.answer().complete(untaken(wish.jobs())));
      }
    }
    drain();
  }

  private void drain() {
    for (Wish wish = wishes.poll(); wish != null; wish = wishes.poll()) {
      wish.answer().complete(untaken(wish.jobs()));
    }
  }

  private void answer(List<Wish> together) throws InterruptedException {
    List<String> answers = ask(together.stream().flatMap(wish -> wish.jobs().stream()).toList());
    int next = 0;
    boolean delivered = false;
    for (Wish wish : together) {
      List<Taking> takings = new ArrayList<>(wish.jobs().size());
      for (Job job : wish.jobs()) {
        Taking taking = answers.isEmpty() ? untaken(job) : read(job, answers.get(next++));
        delivered |= taking instanceof Taking.Delivered;
        takings.add(taking);
      }
      wish.answer().complete(takings);
    }
    if (delivered) {
      onDelivered.run();
    }
  }

  private static Taking read(Job job, String answer) {
    String[] words = answer.split(" ", 3);
    return switch (words.length) {
      case 3 -> new Taking.Delivered(words[1], NativeMessage.worker(words[2]));
      case 2 -> new Taking.Taken(words[1]);
      default -> untaken(job);
    };
  }

  /** What the script says; nothing if Redis does not answer in time. */
  private List<String> ask(List<Job> jobs) throws InterruptedException {
    if (overdue != null && !overdue.isDone()) {
      return List.of();
    }
    overdue = null;
    CompletableFuture<List<String>> asked = new CompletableFuture<>();
    try {
      List<byte[]> arguments = arguments(jobs);
      if (link.isOpen()) {
        call(arguments, asked);
      } else {
        // To connect may take long where nobody refuses: that must not hold claims up either.
        Thread.ofVirtual().start(() -> call(arguments, asked));
      }
      List<String> answers = asked.get(PATIENCE_MS, TimeUnit.MILLISECONDS);
      tellLate();
      return answers;
    } catch (TimeoutException e) {
      LOG.warn("Redis is slow; claims go on without it");
      overdue = asked;
      remember(jobs);
      drain();
    } catch (ExecutionException e) {
      remember(jobs);
      LOG.debug("claims go on without Redis: {}", String.valueOf(e.getCause()));
    }
    return List.of();
  }

  private void remember(List<Job> jobs) {
    if (unanswered.size() < MAX_WISHES) {
      jobs.forEach(job -> unanswered.add(job.id()));
    }
  }

  /** What is answered comes after all that was asked before, so that nothing of it is still due. */
  private void tellLate() {
    if (!unanswered.isEmpty()) {
      List<UUID> late = List.copyOf(unanswered);
      unanswered.clear();
      Thread.ofVirtual().name("stint-gate-late").start(() -> onLate.accept(late));
    }
  }

  private static List<byte[]> arguments(List<Job> jobs) {
    List<byte[]> arguments = new ArrayList<>(3 * jobs.size());
    for (Job job : jobs) {
      arguments.add(job.spec().queue().getBytes(UTF_8));
      arguments.add(job.id().toString().getBytes(UTF_8));
      arguments.add(job.enqueueId().getBytes(UTF_8));
    }
    return arguments;
  }

  private void call(List<byte[]> arguments, CompletableFuture<List<String>> asked) {
    try {
      RedisAsyncCommands<String, String> redis = link.async();
      CompletionStage<?> ignored =
          TAKE.list(redis, arguments)
              .exceptionallyCompose(failure ->
                  failure instanceof RedisNoScriptException
                      ? TAKE.load(redis).thenCompose(_ -> TAKE.list(redis, arguments))
                      : CompletableFuture.failedStage(failure))
              .whenComplete((answers, failure) -> {
                if (failure == null) {
                  asked.complete(answers);
                } else {
                  asked.completeExceptionally(failure);
                }
              });
    } catch (RuntimeException e) {
      asked.completeExceptionally(e);
    }
  }

  /** Answers all who wait, and lets nobody wait any longer. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
