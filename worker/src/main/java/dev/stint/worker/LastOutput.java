package dev.stint.worker;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The last that a command prints on one of its streams. */
final class LastOutput {
  private final int most;
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private byte[] kept = new byte[0];
  private boolean isTaken;

  /** Keeps at most so many bytes. */
  LastOutput(int most) {
    this.most = most;
  }

  /** Reads to the end, so that whoever prints is never held up. */
  void read(InputStream stream) {
    byte[] part = new byte[8_192];
    try (stream) {
      for (int n = stream.read(part); n >= 0; n = stream.read(part)) {
        add(part, n);
      }
    } catch (IOException e) {
      // Its process was ended.
    } finally {
      end.complete(null);
    }
  }

  private synchronized void add(byte[] part, int length) {
    if (isTaken) {
      return;
    }
    int from = Math.max(0, kept.length + length - most);
    byte[] all = new byte[kept.length + length - from];
    int keep = Math.max(0, kept.length - from);
    System.arraycopy(kept, kept.length - keep, all, 0, keep);
    System.arraycopy(part, length - (all.length - keep), all, keep, all.length - keep);
    kept = all;
  }

  /**
   * All until the end, or what there is when the time is up: a process that nobody finds may hold
   * the stream open for as long as it lives. Nothing is kept after that. An interrupt does not
   * shorten it, as the work is done by then.
   */
  String take(Duration longest) {
    end.completeOnTimeout(null, longest.toMillis(), TimeUnit.MILLISECONDS).join();
    return taken();
  }

  private synchronized String taken() {
    String text = new String(kept, StandardCharsets.UTF_8);
    isTaken = true;
    kept = new byte[0];
    return text;
  }
}
