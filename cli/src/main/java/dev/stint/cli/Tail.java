package dev.stint.cli;

import dev.stint.client.Json;
import dev.stint.client.ServerEvent;
import dev.stint.client.ServerEvents;
import dev.stint.client.UnreachableException;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Shows the events of a job as they come, whatever becomes of the connection meanwhile. */
final class Tail implements AutoCloseable {
  private static final Set<String> ENDS = Set.of("done", "error", "canceled");
  private static final String AGAIN = "queued";
  private static final long FIRST_PAUSE_MS = 50;
  private static final long LONGEST_PAUSE_MS = 1_000;
  private static final int NOT_FOUND = 404;

  private final ControlPlane control;
  private final Contact contact;
  private final String path;
  private @Nullable String lastId;
  private @Nullable JobBar bar;
  private long attempt = 1;
  private boolean isKnown;
  private boolean isEnded;

  Tail(ControlPlane control, String path) {
    this.control = control;
    this.contact = new Contact(control);
    this.path = path;
  }

  /** Returns when the job has ended; false: it is known no longer. */
  boolean follow() throws IOException, InterruptedException {
    long pause = FIRST_PAUSE_MS;
    while (true) {
      String before = lastId;
      try (ServerEvents stream = control.events(path, lastId)) {
        if (readToEnd(stream)) {
          return true;
        }
      } catch (RefusedException e) {
        if (isKnown && e.answer().status() == NOT_FOUND) {
          return false;
        }
        if (!e.isForLater()) {
          throw e;
        }
        contact.lost(e);
      } catch (UnreachableException e) {
        if (!isKnown) {
          throw e;
        }
        contact.lost(e);
      } catch (IOException e) {
        contact.lost(
            new IOException("the connection to the control plane broke: " + e.getMessage(), e));
      }
      pause =
          Objects.equals(before, lastId)
              ? Math.min(LONGEST_PAUSE_MS, pause * 3 / 2)
              : FIRST_PAUSE_MS;
      Thread.sleep(pause);
    }
  }

  /** True if the job is over, and was not only before it was tried again. */
  private boolean readToEnd(ServerEvents stream) throws IOException {
    for (ServerEvent event = stream.next(); event != null; event = stream.next()) {
      isKnown = true;
      contact.heard();
      if (event.id() == null) {
        continue;
      }
      lastId = event.id();
      note(event.type());
      show(event);
    }
    return isEnded;
  }

  /** A job that is over may be tried again, and then counts its attempts anew. */
  private void note(String type) {
    if (ENDS.contains(type)) {
      isEnded = true;
    } else if (isEnded && type.equals(AGAIN)) {
      isEnded = false;
      attempt = 0;
    }
  }

  private void show(ServerEvent event) {
    if (control.isJson()) {
      control.print(
          "{\"id\":%s,\"event\":%s,\"data\":%s}"
              .formatted(Json.write(event.id()), Json.write(event.type()), event.data()));
      return;
    }
    Fields told = fields(Json.read(event.data()));
    Fields data = fields(told.object().get("data"));
    switch (event.type()) {
      case "output" -> output(data);
      case "progress" -> progress(data);
      case "message" -> tell(data.has("message") ? "message" : told.text("step"), data);
      default -> tell(event.type(), data);
    }
  }

  @SuppressWarnings("unchecked") // Json makes every object a map with strings for names
  private static Fields fields(@Nullable Object json) {
    return new Fields(
        json instanceof Map<?, ?> object ? (Map<String, @Nullable Object>) object : Map.of());
  }

  private void output(Fields data) {
    hideBar();
    if (data.number("attempt") > attempt) {
      attempt = data.number("attempt");
      control.say("stint: attempt " + attempt + " begins its output anew");
    }
    String text = data.text("text");
    control.printPart(control.screen().isTerminal() ? Screen.lines(text) : text);
  }

  private void progress(Fields data) {
    if (!control.screen().isErrorTerminal()) {
      tell(data.number("progress") + " %", data);
      return;
    }
    if (bar == null) {
      bar = JobBar.on(control.screen());
    }
    bar.show(data);
  }

  private void tell(String what, Fields data) {
    hideBar();
    StringBuilder line = new StringBuilder("stint: ").append(what);
    for (String name : new String[] {"status", "message", "worker_id", "reason"}) {
      if (data.has(name)) {
        line.append(", ").append(name.equals("worker_id") ? "worker " : "").append(data.text(name));
      }
    }
    control.say(Screen.line(line.toString()));
  }

  private void hideBar() {
    if (bar != null) {
      bar.close();
      bar = null;
    }
  }

  @Override
  public void close() {
    hideBar();
  }
}
