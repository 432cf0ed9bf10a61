package dev.stint.contracts.operator;

import dev.stint.contracts.LiveBody;
import dev.stint.engine.Lookout;
import dev.stint.engine.Overview;
import dev.stint.engine.StoreUnavailableException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The overview as it changes: at once, and from then on at most once a second. */
final class OverviewStream implements LiveBody {
  private static final long PACE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Some figures change with time alone, or by other control planes. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Lookout lookout;
  private final Lookout.Watch watch;
  private final BooleanSupplier clientIsThere;
  private final long commentNanos;

  OverviewStream(
      Lookout lookout, Lookout.Watch watch, BooleanSupplier clientIsThere, long commentMs) {
    this.lookout = lookout;
    this.watch = watch;
    this.clientIsThere = clientIsThere;
    this.commentNanos = TimeUnit.MILLISECONDS.toNanos(commentMs);
  }

  @Override
  public void writeTo(OutputStream out) throws IOException, InterruptedException {
    try {
      follow(out);
      write(out, ": this stream ends; come again\n\n");
    } catch (StoreUnavailableException e) {
      write(out, ": the store does not answer; come again\n\n");
    }
  }

  private void follow(OutputStream out) throws IOException, InterruptedException {
    Overview last = null;
    long commentAt = System.nanoTime() + commentNanos;
    boolean goesOn = true;
    while (goesOn) {
      Overview now = lookout.overview();
      if (!isSame(last, now)) {
        last = now;
        write(out, "event: overview\ndata: " + Replies.overview(now).toJson() + "\n\n");
      }
      if (commentAt - System.nanoTime() <= 0) {
        write(out, ": still here\n\n");
        commentAt += commentNanos;
        goesOn = clientIsThere.getAsBoolean();
      }
      goesOn &= watch.pause(PACE_NANOS) && watch.await(LOOK_NANOS);
    }
  }

  /** Whether nothing but the time differs. */
  private static boolean isSame(@Nullable Overview last, Overview now) {
    return last != null && last.at(now.now()).equals(now);
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  @Override
  public void close() {
    watch.close();
  }
}
