package dev.stint.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Server-sent events, read one by one as they come. To be used by one thread, and closed. */
public final class ServerEvents implements AutoCloseable {
  private static final int MAX_LINE = 4 << 20;

  private final HttpURLConnection connection;
  private final Reader lines;
  private final StringBuilder line = new StringBuilder();

  ServerEvents(HttpURLConnection connection, InputStream body) {
    this.connection = connection;
    this.lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
  }

  /** The next event; null if the stream has come to its end. */
  public @Nullable ServerEvent next() throws IOException {
    String id = null;
    String type = "message";
    StringBuilder data = null;
    while (readLine()) {
      if (line.isEmpty()) {
        if (data != null) {
          return new ServerEvent(id, type, data.toString());
        }
        id = null;
        type = "message";
        continue;
      }
      int colon = line.indexOf(":");
      String name = colon < 0 ? line.toString() : line.substring(0, colon);
      String value = colon < 0 ? "" : line.substring(colon + 1);
      value = value.startsWith(" ") ? value.substring(1) : value;
      switch (name) {
        case "id" -> id = value;
        case "event" -> type = value;
        case "data" ->
            data = data == null ? new StringBuilder(value) : data.append('\n').append(value);
        default -> {
          // a comment, or something of a later day
        }
      }
    }
    return null;
  }

  private boolean readLine() throws IOException {
    line.setLength(0);
    for (int c = lines.read(); c >= 0; c = lines.read()) {
      if (c == '\n') {
        return true;
      }
      if (c != '\r') {
        line.append((char) c);
      }
      if (line.length() > MAX_LINE) {
        throw new IOException("an event is too large");
      }
    }
    return false;
  }

  @Override
  public void close() {
    connection.disconnect();
  }
}
