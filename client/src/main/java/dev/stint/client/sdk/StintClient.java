package dev.stint.client.sdk;

import dev.stint.client.Answer;
import dev.stint.client.Api;
import dev.stint.client.ServerEvent;
import dev.stint.client.ServerEvents;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Submits jobs and reads what became of them. Any number of threads may use it at once. */
public final class StintClient {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** The control plane says every 15 seconds that it is still there. */
  private static final Duration SILENCE = Duration.ofSeconds(30);

  private final Api api;

  private StintClient(Api api) {
    this.api = api;
  }

  /**
   * A client of the control plane at this URL, e.g. {@code http://localhost:8080}.
   *
   * @param token the API token or that of a producer, or null to send none
   */
  public static StintClient to(String url, @Nullable String token) {
    return new StintClient(new Api(url, token, TIMEOUT));
  }

  /**
   * Submits one job as {@link #submitAll} does.
   *
   * @return its id
   * @throws RefusedException if it is not accepted
   */
  public String submit(Submission job, Duration longest) throws IOException {
    Submitted submitted = submitAll(List.of(job), longest).getFirst();
    if (submitted.jobId() == null) {
      throw new RefusedException(submitted);
    }
    return submitted.jobId();
  }

  /**
   * Submits any number of jobs, in as few calls as they fit in. While the control plane is away or
   * the queue full it tries again; every submission has an idempotency key, so none becomes two.
   *
   * @param longest how long to try
   * @return what came of each, in the order of the jobs
   * @throws RefusedException if the control plane refuses the whole, for a wrong token say
   * @throws IOException if it cannot be reached in that time; some jobs may be accepted, and the
   *     same list may be submitted again
   */
  public List<Submitted> submitAll(List<Submission> jobs, Duration longest) throws IOException {
    return jobs.isEmpty() ? List.of() : new Submitting(api, longest).submit(jobs);
  }

  /** The job, or nothing if there is none with this id (any more). */
  public Optional<JobView> find(String jobId) throws IOException {
    return view(api.get(path(jobId, "")));
  }

  /**
   * Waits until a job is over, by its events and without polling.
   *
   * @param longest how long to wait; if it is not over then, it is given as it is
   */
  public Optional<JobView> await(String jobId, Duration longest) throws IOException {
    long end = System.nanoTime() + longest.toNanos();
    String lastId = null;
    Optional<JobView> job = find(jobId);
    while (job.isPresent() && !job.get().isOver() && System.nanoTime() - end < 0) {
      lastId = followUntil(jobId, lastId, end);
      job = find(jobId);
    }
    return job;
  }

  /**
   * Follows on a virtual thread, which an interrupt takes out of a read: no timeout of the socket
   * would do, since whatever comes, be it a sign of life, restarts it.
   */
  private @Nullable String followUntil(String jobId, @Nullable String lastId, long end)
      throws IOException {
    FutureTask<@Nullable String> following = new FutureTask<>(() -> follow(jobId, lastId));
    Thread.startVirtualThread(following);
    try {
      return following.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return lastId;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for job " + jobId);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
    } finally {
      following.cancel(true);
    }
  }

  /** Reads events until the job is over or the stream ends. */
  private @Nullable String follow(String jobId, @Nullable String lastId) throws IOException {
    String last = lastId;
    List<Answer> refusals = new ArrayList<>();
    try (ServerEvents events = api.events(path(jobId, "/events"), lastId, SILENCE, refusals::add)) {
      ServerEvent event = events == null ? null : events.next();
      while (events != null && event != null) {
        last = event.id() == null ? last : event.id();
        event = events.next();
      }
    } catch (SocketTimeoutException e) {
      return last;
    }
    for (Answer refusal : refusals) {
      throw new RefusedException(refusal);
    }
    return last;
  }

  /** Asks for a job to be stopped; whoever runs it is told with its next heartbeat. */
  public Optional<JobView> cancel(String jobId, String reason) throws IOException {
    return view(api.post(path(jobId, "/cancel"), Map.of("reason", reason)));
  }

  private static String path(String jobId, String further) {
    return "/v1/jobs/" + Api.encoded(jobId) + further;
  }

  private static Optional<JobView> view(Answer answer) throws IOException {
    if (answer.status() == 404) {
      return Optional.empty();
    } else if (!answer.isOk()) {
      throw new RefusedException(answer);
    }
    return Optional.of(JobView.of(answer));
  }
}
