package dev.stint.client.sdk;

import dev.stint.client.Api;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Submits jobs and reads what became of them. Any number of threads may use it at once. */
public final class StintClient {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

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
    return JobView.in(api.get(path(jobId, "")));
  }

  /**
   * Waits until a job is over, by its events and without polling. While the control plane is away
   * or busy it tries again.
   *
   * @param longest how long to wait; if it is not over then, it is given as it is
   * @throws RefusedException if the control plane does not want to tell, for a wrong token say
   * @throws IOException if it cannot be reached when the time is up
   */
  public Optional<JobView> await(String jobId, Duration longest) throws IOException {
    return new Awaiting(api, path(jobId, ""), longest).await();
  }

  /** Asks for a job to be stopped; whoever runs it is told with its next heartbeat. */
  public Optional<JobView> cancel(String jobId, String reason) throws IOException {
    return JobView.in(api.post(path(jobId, "/cancel"), Map.of("reason", reason)));
  }

  private static String path(String jobId, String further) {
    return "/v1/jobs/" + Api.encoded(jobId) + further;
  }
}
