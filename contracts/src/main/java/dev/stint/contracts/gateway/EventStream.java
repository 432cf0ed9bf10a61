package dev.stint.contracts.gateway;

import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.LiveBody;
import dev.stint.engine.Event;
import dev.stint.engine.Following;
import dev.stint.engine.Job;
import dev.stint.engine.StoreUnavailableException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The events of one job as they happen, up to the one that ends it. Each has an id, so that whoever
 * loses the connection can go on behind the last one that arrived.
 */
final class EventStream implements LiveBody {
  private final Job job;
  private final Following following;
  private final BooleanSupplier clientIsThere;
  private final long commentNanos;

  EventStream(Job job, Following following, BooleanSupplier clientIsThere, long commentMs) {
    this.job = job;
    this.following = following;
    this.clientIsThere = clientIsThere;
    this.commentNanos = TimeUnit.MILLISECONDS.toNanos(commentMs);
  }

  @Override
  public void writeTo(OutputStream out) throws IOException, InterruptedException {
    JsonWriter hello =
        new JsonWriter()
            .add("job_id", job.id().toString())
            .add("status", Words.status(job.state()));
    write(out, "event: hello\ndata: " + hello.toJson() + "\n\n");
    out.flush();
    try {
      follow(out);
      write(out, ": " + Words.end(following.end()) + "\n\n");
    } catch (StoreUnavailableException e) {
      write(out, ": the store does not answer; come again\n\n");
    }
    out.flush();
  }

  private void follow(OutputStream out) throws IOException, InterruptedException {
    long commentAt = System.nanoTime() + commentNanos;
    boolean isOver = false;
    while (!isOver) {
      for (Event event : following.next(commentAt - System.nanoTime())) {
        write(out, text(event));
      }
      isOver = following.end() != null;
      if (commentAt - System.nanoTime() <= 0) {
        commentAt += commentNanos;
        write(out, ": still here\n\n");
        isOver |= !clientIsThere.getAsBoolean();
      }
      out.flush();
    }
  }

  private static String text(Event event) {
    String type = Words.event(event);
    if (type == null) {
      return "";
    }
    String data =
        new JsonWriter()
            .add("type", type)
            .add("ts", event.at())
            .add("step", Words.step(event))
            .addJson("data", Replies.data(event))
            .toJson();
    // In JSON a line may end only between two values, and here it would end the event.
    String line = data.replace('\n', ' ').replace('\r', ' ');
    return "id: " + event.seq() + "\nevent: " + type + "\ndata: " + line + "\n\n";
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    following.close();
  }
}
