package dev.stint.client.sdk;

import dev.stint.client.Answer;
import dev.stint.client.Api;
import dev.stint.client.Patience;
import dev.stint.client.ServerEvent;
import dev.stint.client.ServerEvents;
import dev.stint.client.UnreachableException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Follows one job to its end, however often the control plane is away meanwhile. */
final class Awaiting {
  private static final System.Logger log = System.getLogger(Awaiting.class.getName());

  /** The control plane says every 15 seconds that it is still there. */
  private static final Duration SILENCE = Duration.ofSeconds(30);

  private final Api api;
  private final String path;
  private final long end;
  private final Patience patience = new Patience();
  private volatile @Nullable String lastId;
  private int failures;

  /**
   * Begins now.
   *
   * @param path of the job
   * @param longest how long to wait
   */
  Awaiting(Api api, String path, Duration longest) {
    this.api = api;
    this.path = path;
    this.end = System.nanoTime() + Patience.nanos(longest);
  }

  /** The job when it is over, or as it is when the time is up. */
  Optional<JobView> await() throws IOException {
    Optional<JobView> job = find();
    while (job.isPresent() && !job.get().isOver() && left() > 0) {
      followUntilEnd();
      job = find();
      if (job.isPresent() && !job.get().isOver()) {
        pause();
      }
    }
    return job;
  }

  private long left() {
    return end - System.nanoTime();
  }

  /** Asks until it is told, or the time is up. */
  private Optional<JobView> find() throws IOException {
    while (true) {
      String problem;
      Duration alone = Duration.ZERO;
      try {
        Answer answer = api.get(path);
        if (!answer.isForLater()) {
          patience.heard();
          failures = 0;
          return JobView.in(answer);
        }
        problem = problem(answer);
        alone = answer.retryAfter();
      } catch (UnreachableException e) {
        problem = String.valueOf(e.getMessage());
      }
      if (left() <= 0) {
        throw new IOException(problem);
      }
      patience.lost(problem, alone);
      pause();
    }
  }

  private String problem(Answer answer) {
    return api.base() + " answers " + answer.status() + ": " + answer.problem();
  }

  private void pause() throws InterruptedIOException {
    try {
      patience.backOff(failures++, Duration.ofNanos(Math.max(0, left())));
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  private InterruptedIOException interrupted() {
    Thread.currentThread().interrupt();
    return new InterruptedIOException("interrupted while waiting for " + path);
  }

  /**
   * Follows on a virtual thread, which an interrupt takes out of a read: no timeout of the socket
   * would do, since whatever comes, be it a sign of life, restarts it.
   */
  private void followUntilEnd() throws IOException {
    FutureTask<@Nullable Answer> following = new FutureTask<>(this::follow);
    Thread.startVirtualThread(following);
    try {
      Answer refusal = following.get(left(), TimeUnit.NANOSECONDS);
      if (refusal != null && !refusal.isForLater()) {
        throw new RefusedException(refusal);
      } else if (refusal != null) {
        patience.lost(problem(refusal), refusal.retryAfter());
      }
    } catch (TimeoutException e) {
      log.log(Level.DEBUG, "the time for {0} is up", path);
    } catch (InterruptedException e) {
      throw interrupted();
    } catch (ExecutionException e) {
      // The connection broke, or somebody in between does not speak as the control plane does.
      log.log(Level.DEBUG, "no more events of " + path, e.getCause());
    } finally {
      following.cancel(true);
    }
  }

  /**
   * Reads events until the job is over or the stream ends.
   *
   * @return what the control plane says if it gives none
   */
  private @Nullable Answer follow() throws IOException {
    List<Answer> refusals = new ArrayList<>();
    try (ServerEvents events = api.events(path + "/events", lastId, SILENCE, refusals::add)) {
      ServerEvent event = events == null ? null : events.next();
      while (events != null && event != null) {
        lastId = event.id() == null ? lastId : event.id();
        event = events.next();
      }
    }
    return refusals.isEmpty() ? null : refusals.getFirst();
  }
}
