package dev.stint.bench;

import me.tongfei.progressbar.ProgressBar;

/** Bars on standard error, one for each part of the work. */
final class TerminalWork implements Scenario.Work {

  /** Bars if somebody looks. */
  static Scenario.Work wanted() {
    return TerminalProgress.isWanted() ? new TerminalWork() : SILENT;
  }

  @Override
  public Step begin(String what, long steps) {
    return new Bar(TerminalProgress.bar(what, steps));
  }

  private record Bar(ProgressBar bar) implements Step {
    @Override
    public void advance(long steps) {
      bar.stepBy(steps);
    }

    @Override
    public void close() {
      bar.close();
    }
  }
}
