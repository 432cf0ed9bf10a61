package dev.stint.cli;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** How many of many jobs are done, as a bar on standard error; nothing where nobody looks. */
final class BulkBar implements AutoCloseable {
  private static final int REFRESH_MS = 250;

  private final @Nullable ProgressBar bar;

  private BulkBar(@Nullable ProgressBar bar) {
    this.bar = bar;
  }

  static BulkBar on(Screen screen, String verb, long count) {
    return new BulkBar(
        screen.isErrorTerminal()
            ? new ProgressBarBuilder()
                .setTaskName(verb)
                .setInitialMax(count)
                .setUpdateIntervalMillis(REFRESH_MS)
                .setStyle(ProgressBarStyle.ASCII)
                .setConsumer(new ConsoleProgressBarConsumer(System.err, screen.columns() - 1))
                .build()
            : null);
  }

  void stepTo(long done) {
    if (bar != null) {
      bar.stepTo(done);
    }
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
