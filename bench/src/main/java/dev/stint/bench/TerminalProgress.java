package dev.stint.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A bar on standard error. */
final class TerminalProgress implements Progress, AutoCloseable {
  private static final int WIDTH = 80;
  private static final int REFRESH_MS = 250;

  private final ProgressBar bar;

  TerminalProgress(String title, Duration length) {
    bar = bar(title, length.toMillis());
  }

  /** A bar of so many steps. */
  static ProgressBar bar(String title, long steps) {
    return new ProgressBarBuilder()
        .setTaskName(title)
        .setInitialMax(steps)
        .setUpdateIntervalMillis(REFRESH_MS)
        .setStyle(ProgressBarStyle.ASCII)
        .setConsumer(new ConsoleProgressBarConsumer(System.err, WIDTH))
        .hideEta()
        .build();
  }

  /** Whether standard error goes to a terminal; the JDK only tells that of standard output. */
  static boolean isWanted() {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void advanced(String phase, long millis) {
    bar.setExtraMessage(phase);
    bar.stepBy(millis);
  }

  @Override
  public void close() {
    bar.close();
  }
}
