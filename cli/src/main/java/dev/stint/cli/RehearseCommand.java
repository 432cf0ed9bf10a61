package dev.stint.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/**
 * Runs the client commands once, so that the JVM can note what they will need: the launcher makes a
 * cache of it. The control plane is played by a few lines here, since a real one in the same
 * process would make that cache many times as large, and every start with it slower.
 */
@Command(
    name = "rehearse",
    hidden = true,
    description = "Trains the start-up cache of client commands.")
final class RehearseCommand implements Callable<Integer> {
  private static final Map<String, String> ANSWERS =
      Map.of(
          "/jobs",
          """
          {"jobs":[{"job_id":"j","status":"RUNNING","command":"echo","args":["a b"],\
          "created_at":1,"attempt_count":1,"max_attempts":3,"worker_id":null}],"next_cursor":null}\
          """,
          "/jobs/j",
          """
          {"job_id":"j","status":"COMPLETED","command":"echo","args":["a b"],"created_at":1,\
          "updated_at":2,"attempt_count":1,"max_attempts":3,"exit_code":0,"needs_gpu":false}\
          """,
          "/workers",
          """
          {"workers":[{"worker_id":"w","status":"ONLINE","last_seen":1,"slots":1,\
          "worker_capabilities":["gpu"],"current_job_ids":[]}]}\
          """,
          "/events",
          """
          {"events":[{"id":1,"ts":1,"component":"c","event":"e","job_id":"j","details":{"a":1.5}}]}\
          """,
          "/abort",
          """
          {"ok":true,"aborted":["j"]}\
          """);

  private static final List<List<String>> CALLS =
      List.of(
          List.of("submit", "--wait", "--metadata", "{\"a\":1}", "--", "echo", "hello"),
          List.of("submit", "--command", "echo", "--args", "'a b'", "--priority", "1"),
          List.of("jobs", "--status", "running", "--limit", "5"),
          List.of("jobs", "--json"),
          List.of("job", "j"),
          List.of("workers"),
          List.of("events", "--job", "j"),
          List.of("abort", "j", "--reason", "r"),
          List.of("logs", "j"),
          List.of("job", "unknown"),
          List.of("jobs", "--help"));

  @Override
  public Integer call() throws IOException {
    try (ServerSocket stage = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread.ofPlatform().daemon().start(() -> answerAll(stage));
      Map<String, String> environment =
          Map.of("STINT_URL", "http://127.0.0.1:" + stage.getLocalPort());
      CALLS.forEach(call -> play(environment, call));
    }
    return ExitCodes.OK;
  }

  private static void play(Map<String, String> environment, List<String> call) {
    Screen screen = new Screen(true, false, 80, true);
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    Stint.commandLine(environment, screen, List.of(call.getFirst()))
        .setOut(nowhere)
        .setErr(nowhere)
        .execute(call.toArray(String[]::new));
  }

  private static void answerAll(ServerSocket stage) {
    while (!stage.isClosed()) {
      try (Socket socket = stage.accept()) {
        answer(socket);
      } catch (IOException closed) {
        // the play is over, or a caller has left
      }
    }
  }

  private static void answer(Socket socket) throws IOException {
    BufferedReader in =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
    String[] request = String.valueOf(in.readLine()).split("[ ?]", -1);
    int length = 0;
    for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
      if (line.startsWith("Content-Length: ")) {
        length = Integer.parseInt(line.substring("Content-Length: ".length()));
      }
    }
    in.skip(length);
    boolean isSubmit = request[0].equals("POST") && request[1].equals("/jobs");
    String body =
        isSubmit
            ? "{\"job_id\":\"j\",\"status\":\"PENDING\"}"
            : ANSWERS.getOrDefault(request[1], "{\"error\":\"unknown\",\"message\":\"no\"}");
    String status = isSubmit || ANSWERS.containsKey(request[1]) ? "200 OK" : "404 Not Found";
    socket
        .getOutputStream()
        .write(
            ("HTTP/1.1 "
                    + status
                    + "\r\nConnection: close\r\nContent-Length: "
                    + body.length()
                    + "\r\nContent-Type: application/json\r\n\r\n"
                    + body)
                .getBytes(StandardCharsets.UTF_8));
  }
}
