package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

/** What tests do with jobs by way of the contracts. */
final class Jobs {
  static final String QUEUE = "jobs:stream";

  private Jobs() {}

  /** Submits a job and returns its id. */
  static String submit(TestServer server, String furtherFields) {
    Answer answer =
        server.post("/v1/jobs", "{\"task\":\"chat\",\"payload\":{\"n\":1}" + furtherFields + "}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return answer.text("job_id");
  }

  static Answer claim(TestServer server, String worker) {
    return server.post(
        "/internal/worker/claim",
        "{\"worker_id\":\"%s\",\"streams\":[\"%s\"]}".formatted(worker, QUEUE));
  }

  /** Claims a job that must be there. */
  static Lease lease(TestServer server, String worker) {
    Answer answer = claim(server, worker);
    assertThat(answer.get("claimed")).as(answer.body()).isEqualTo(true);
    return new Lease(
        worker, answer.text("job_id"), answer.text("attempt_id"), answer.text("lease_token"));
  }

  static String status(TestServer server, String jobId) {
    return server.get("/v1/jobs/" + jobId).text("status");
  }

  record Lease(String worker, String jobId, String attemptId, String token) {

    /** The fields that prove it, and further ones, as a body. */
    String with(String furtherFields) {
      return "{\"worker_id\":\"%s\",\"job_id\":\"%s\",\"attempt_id\":\"%s\",\"lease_token\":\"%s\"%s}"
          .formatted(worker, jobId, attemptId, token, furtherFields);
    }
  }
}
