package dev.stint.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Single questions to the server, beside the load: is it up, has it an echo, what does it count.
 */
final class Probe {
  private static final int TIMEOUT_MS = 5_000;

  private final Target target;

  Probe(Target target) {
    this.target = target;
  }

  boolean isUp() {
    try {
      HttpURLConnection connection = open("/healthz");
      return connection.getResponseCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether the server answers the echo route with what it was sent. */
  boolean echoes(byte[] body) throws RunFailedException {
    try {
      HttpURLConnection connection = open(EchoScript.PATH);
      connection.setDoOutput(true);
      connection.setRequestProperty("Content-Type", "application/json");
      if (!target.token().isEmpty()) {
        connection.setRequestProperty("Authorization", "Bearer " + target.token());
      }
      try (OutputStream out = connection.getOutputStream()) {
        out.write(body);
      }
      return connection.getResponseCode() == 200
          && Arrays.equals(connection.getInputStream().readAllBytes(), body);
    } catch (IOException e) {
      throw new RunFailedException("cannot reach " + target.base() + ": " + e.getMessage(), e);
    }
  }

  /** Empty where the server does not count its commits. */
  Optional<Commits> commits() {
    return metrics().flatMap(Commits::read);
  }

  /** The sum of all series of a metric; empty where the server has none. */
  Optional<Double> metric(String name) {
    return metrics().flatMap(text -> Commits.value(text, name));
  }

  private Optional<String> metrics() {
    try {
      HttpURLConnection connection = open("/metrics");
      if (connection.getResponseCode() != 200) {
        return Optional.empty();
      }
      return Optional.of(
          new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private HttpURLConnection open(String path) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) target.at(path).toURL().openConnection();
    connection.setConnectTimeout(TIMEOUT_MS);
    connection.setReadTimeout(TIMEOUT_MS);
    return connection;
  }
}
