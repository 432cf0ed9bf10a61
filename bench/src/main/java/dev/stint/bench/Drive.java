package dev.stint.bench;

import java.time.Duration;

/** Loads that scenarios put on a server. */
final class Drive {
  static final Duration ANSWER_WITHIN = Duration.ofSeconds(60);
  static final Duration NO_END = Duration.ofHours(2);
  static final int PAYLOAD_BYTES = 100;
  private static final int LOADERS = 4;

  private Drive() {}

  /** Has so many jobs wait, about: a multiple of the number that a call takes. */
  static void load(Target target, String queue, String andMore, long jobs, Scenario.Work work)
      throws RunFailedException {
    if (jobs <= 0) {
      return;
    }
    byte[] job = JobRequests.submitBody(queue, PAYLOAD_BYTES, andMore);
    int loaders = jobs >= LOADERS * LoadScript.BATCH ? LOADERS : 1;
    try (Loop loop = Loop.open(target, loaders, ANSWER_WITHIN);
        Scenario.Work.Step step = work.begin("loading %,d jobs".formatted(jobs), jobs)) {
      loop.run(new LoadScript(target, job, jobs, step), NO_END, _ -> {});
    }
  }

  static Duration seconds(double seconds) {
    return Duration.ofNanos((long) (seconds * 1e9));
  }

  static void sleep(Duration time) throws RunFailedException {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      throw RunFailedException.interrupted(e);
    }
  }
}
