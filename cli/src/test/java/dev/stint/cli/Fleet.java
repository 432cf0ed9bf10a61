package dev.stint.cli;

import dev.stint.client.Answer;
import dev.stint.client.Api;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** A real server, and real workers of it, each in a folder. */
final class Fleet implements AutoCloseable {
  private final Path folder;
  private final Api api;
  private final StintProcess server;
  private final List<StintProcess> workers = new ArrayList<>();
  private final List<Path> pidFiles = new ArrayList<>();

  Fleet(Path folder, int heartbeatTimeoutSeconds) throws Exception {
    this.folder = folder;
    String address = "127.0.0.1:" + StintProcess.freePort();
    server =
        StintProcess.logging(
            folder.resolve("server.log"),
            Map.of(),
            "server",
            "--addr",
            address,
            "--db",
            folder.resolve("stint.db").toString(),
            "--heartbeat-timeout-seconds",
            Integer.toString(heartbeatTimeoutSeconds),
            "--reconcile-interval-seconds",
            "1");
    api = new Api("http://" + address, "dev-token", Duration.ofSeconds(10));
    awaitServer();
  }

  private void awaitServer() throws Exception {
    await(this::isUp);
  }

  private boolean isUp() {
    try {
      return api.get("/readyz").isOk();
    } catch (IOException e) {
      return false;
    }
  }

  void killServer() throws InterruptedException {
    server.kill();
  }

  void startServerAgain() throws Exception {
    server.startAgain();
    awaitServer();
  }

  /** A worker in a folder of its name, that does all quickly where no option says otherwise. */
  StintProcess worker(String name, String... options) throws IOException {
    Path place = Files.createDirectories(folder.resolve(name));
    Map<String, String> environment =
        Map.of(
            "HDCF_CONTROL_URL", api.base(),
            "HDCF_WORKER_ID", name,
            "STINT_HEARTBEAT_INTERVAL_SECONDS", "1",
            "STINT_POLL_INTERVAL_SECONDS", "1",
            "STINT_KILL_GRACE_SECONDS", "1",
            "STINT_DRAIN_SECONDS", "0");
    String[] command =
        Stream.concat(Stream.of("worker"), Stream.of(options)).toArray(String[]::new);
    StintProcess worker = StintProcess.logging(place.resolve("worker.log"), environment, command);
    workers.add(worker);
    return worker;
  }

  /** What a worker logged so far. */
  String log(String worker) throws IOException {
    return Files.readString(folder.resolve(worker).resolve("worker.log"));
  }

  /** Submits a shell script. */
  String submit(String script) throws IOException {
    return submit(Map.of("command", "sh", "args", List.of("-c", script)));
  }

  String submit(Map<String, Object> job) throws IOException {
    Answer answer = api.post("/jobs", job);
    String id = answer.string("job_id");
    if (id == null) {
      throw new AssertionError(answer.text());
    }
    return id;
  }

  String url() {
    return api.base();
  }

  Answer call(String path, Map<String, Object> body) throws IOException {
    return api.post(path, body);
  }

  Answer get(String path) throws IOException {
    return api.get(path);
  }

  Answer job(String id) throws IOException {
    return api.get("/jobs/" + id);
  }

  /** The job, once it is in that state. */
  Answer await(String id, String status) throws Exception {
    try {
      await(() -> status.equals(job(id).string("status")));
    } catch (AssertionError e) {
      throw new AssertionError(status + " does not come: " + job(id).text(), e);
    }
    return job(id);
  }

  static void await(Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.call()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("it does not come");
      }
      Thread.sleep(20);
    }
  }

  /** A script that writes its process's number to a file and then does nothing for long. */
  String sleeper(Path pidFile) {
    pidFiles.add(pidFile);
    return "exec sh -c \"echo \\$\\$ > %s.new; mv %s.new %s; exec sleep 1000\""
        .formatted(pidFile, pidFile, pidFile);
  }

  static String pid(Path pidFile) throws Exception {
    await(() -> Files.exists(pidFile));
    return Files.readString(pidFile).strip();
  }

  /** Whether a process is there and has not only to be fetched by its parent. */
  static boolean isRunning(String pid) {
    try {
      String stat = Files.readString(Path.of("/proc", pid, "stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() {
    workers.forEach(StintProcess::close);
    server.close();
    pidFiles.stream().filter(Files::exists).forEach(Fleet::endSleeper);
  }

  /** What a killed worker left behind, if the test did not come to the point where it is ended. */
  private static void endSleeper(Path pidFile) {
    try {
      ProcessHandle.of(Long.parseLong(Files.readString(pidFile).strip()))
          .filter(process -> process.info().command().orElse("").endsWith("sleep"))
          .ifPresent(ProcessHandle::destroyForcibly);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
