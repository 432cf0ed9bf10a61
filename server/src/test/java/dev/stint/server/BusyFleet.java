package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.util.List;

/** A server with a bit of everything: what waits, runs, is done, failed, paused and drained. */
final class BusyFleet {
  private static final List<String> COMMANDS =
      List.of(
          "ffmpeg\",\"args\":[\"-i\",\"trailer.mov\",\"-c:v\",\"libx265\",\"trailer.mp4\"]",
          "python\",\"args\":[\"train.py\",\"--epochs\",\"40\",\"--lr\",\"3e-4\"]",
          "blender\",\"args\":[\"-b\",\"scene.blend\",\"-f\",\"120..240\"]",
          "rsync\",\"args\":[\"-a\",\"/srv/photos\",\"backup:/photos\"]");

  private final TestServer server;
  private final String token;

  private BusyFleet(TestServer server, String token) {
    this.server = server;
    this.token = token;
  }

  /** Fills the server; returns the id of a job that runs. */
  static String fill(TestServer server, String token) {
    return new BusyFleet(server, token).fill();
  }

  private String fill() {
    for (String worker :
        List.of(
            "asus\",\"worker_capabilities\":[\"gpu\",\"ssd\",\"cuda-12.4\",\"ffmpeg-7.1\",\"blender-4.2\","
                + "\"python-3.13\",\"site:cellar\",\"memory:64GiB\",\"network:10GbE\",\"disk:4TiB\"]",
            "rack-1\"",
            "rack-2\"")) {
      call("/register", "{\"slots\":2,\"worker_id\":\"" + worker + "}");
    }
    for (int i = 0; i < 24; i++) {
      boolean needsGpu = i % COMMANDS.size() == 1;
      call(
          "/jobs",
          "{\"needs_gpu\":"
              + needsGpu
              + ",\"command\":\""
              + COMMANDS.get(i % COMMANDS.size())
              + "}");
    }
    for (String worker : List.of("asus", "rack-1", "rack-2")) {
      Answer job = server.get("/next-job?worker_id=" + worker, "X-API-Token", token);
      call(
          "/ack",
          "{\"worker_id\":\"%s\",\"job_id\":\"%s\",\"assignment_id\":\"%s\"}"
              .formatted(worker, job.text("job_id"), job.text("assignment_id")));
    }
    for (int i = 0; i < 9; i++) {
      String id = task();
      String problem = i < 5 ? "disk " + i + " is full" : "no answer within " + i + "000 ms";
      work(
          id,
          i < 2 ? "complete" : "fail",
          i < 2 ? "{\"result\":{\"pages\":12}}" : "{\"error\":\"" + problem + "\"}");
    }
    call("/v1/queues/nightly/pause", "{\"reason\":\"new disk until six\"}");
    call("/v1/workers/rack-2/drain", "{}");
    String id = task();
    work(id, "status", "{\"status\":\"RENDERING\",\"progress\":25,\"message\":\"page 3 of 12\"}");
    work(id, "status", "{\"status\":\"RENDERING\",\"progress\":50,\"message\":\"page 6 of 12\"}");
    return id;
  }

  /** A task that has been claimed. */
  private String task() {
    String id =
        call(
                "/api/v1/tasks",
                "{\"payload\":{\"report\":\"sales\",\"month\":11},\"metadata\":{\"team\":\"finance\"}}")
            .text("task_id");
    Answer next =
        server.get("/api/v1/worker/tasks/next", "X-API-Token", token, "X-Worker-Id", "reports-1");
    assertThat(next.text("task_id")).isEqualTo(id);
    return id;
  }

  private void work(String id, String verb, String json) {
    Answer answer =
        server.send(
            server
                .request(
                    "/api/v1/worker/tasks/" + id + "/" + verb,
                    "X-API-Token",
                    token,
                    "X-Worker-Id",
                    "reports-1")
                .method(
                    verb.equals("status") ? "PATCH" : "POST",
                    HttpRequest.BodyPublishers.ofString(json)));
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private Answer call(String path, String json) {
    Answer answer = server.post(path, json, "X-API-Token", token);
    assertThat(answer.status()).as(answer.body()).isBetween(200, 201);
    return answer;
  }
}
