package dev.stint.cli;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** How far a job is, as a bar on standard error; nothing where nobody looks at that. */
final class JobBar implements AutoCloseable {
  private static final int REFRESH_MS = 250;
  private static final int UNKNOWN = -1;
  private static final int DONE = 100;

  private final @Nullable ProgressBar bar;

  private JobBar(@Nullable ProgressBar bar) {
    this.bar = bar;
  }

  static JobBar on(Screen screen) {
    return new JobBar(
        screen.isErrorTerminal()
            ? new ProgressBarBuilder()
                .setTaskName("job")
                .setInitialMax(UNKNOWN)
                .setUpdateIntervalMillis(REFRESH_MS)
                .setStyle(ProgressBarStyle.ASCII)
                .setConsumer(new ConsoleProgressBarConsumer(System.err, screen.columns() - 1))
                .hideEta()
                .build()
            : null);
  }

  void show(Fields job) {
    if (bar == null) {
      return;
    }
    bar.setExtraMessage(Screen.line(job.text("status") + " " + job.text("message")));
    if (job.has("progress")) {
      bar.maxHint(DONE);
      bar.stepTo(job.number("progress"));
    }
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
