package dev.stint.cli;

import dev.stint.server.Logging;
import dev.stint.server.Server;
import dev.stint.server.Settings;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * Goes once through what a server and a worker do, so that the JVM can note what it will need: the
 * launcher runs it after a build to make the cache that later starts are quicker with.
 */
@Command(name = "train", hidden = true, description = "Trains the start-up cache.")
final class TrainCommand implements Callable<Integer> {
  private static final Pattern STRING_FIELD = Pattern.compile("\"(\\w+)\":\"([^\"]*)\"");

  @Parameters(paramLabel = "FOLDER", description = "An empty folder for its database.")
  @SuppressWarnings("NullAway.Init") // set by picocli
  private Path folder;

  @Override
  public Integer call() throws IOException {
    Logging.configure("warn");
    try (Server server =
        Server.start(Settings.local(folder.resolve("t.db").toString()), List.of())) {
      String base = "http://127.0.0.1:" + server.port();
      get(base + "/healthz");
      String job = field(post(base + "/v1/jobs", "{\"task\":\"chat\",\"payload\":{}}"), "job_id");
      String claimed =
          post(
              base + "/internal/worker/claim",
              "{\"worker_id\":\"t\",\"streams\":[\"jobs:stream\"],\"max_wait_ms\":10}");
      post(
          base + "/internal/worker/complete",
          "{\"worker_id\":\"t\",\"job_id\":\"%s\",\"attempt_id\":\"%s\",\"lease_token\":\"%s\"}"
              .formatted(job, field(claimed, "attempt_id"), field(claimed, "lease_token")));
      get(base + "/v1/jobs/" + job);
      get(base + "/metrics");
      get(base + "/ui");
      LocalWorker worker = LocalWorker.start(base, Settings.DEV_TOKEN, 1, folder);
      Stint.commandLine(Map.of("STINT_URL", base)).execute("submit", "--wait", "--", "true");
      worker.drain();
    }
    return 0;
  }

  private static String field(String json, String name) {
    Matcher matcher = STRING_FIELD.matcher(json);
    while (matcher.find()) {
      if (matcher.group(1).equals(name)) {
        return matcher.group(2);
      }
    }
    throw new IllegalStateException("no " + name + " in " + json);
  }

  private static String get(String url) throws IOException {
    return answer(open(url));
  }

  private static String post(String url, String json) throws IOException {
    HttpURLConnection connection = open(url);
    connection.setRequestMethod("POST");
    connection.setRequestProperty("Content-Type", "application/json");
    connection.setDoOutput(true);
    connection.getOutputStream().write(json.getBytes(StandardCharsets.UTF_8));
    return answer(connection);
  }

  private static HttpURLConnection open(String url) throws IOException {
    return (HttpURLConnection) URI.create(url).toURL().openConnection();
  }

  private static String answer(HttpURLConnection connection) throws IOException {
    try (var in = connection.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
