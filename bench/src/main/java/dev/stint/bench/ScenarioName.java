package dev.stint.bench;

/** The scenarios there are. */
enum ScenarioName {
  backlog(1_000_000, 15, 10),
  finished(5_000_000, 15, 10),
  parked(10_000, 20, 5),
  leases(100_000, 60, 5),
  planes(256, 40, 60),
  redis(64, 30, 20),
  natives(20, 20, 10),
  start(7, 0, 0);

  private final int count;
  private final double seconds;
  private final double warmUpSeconds;

  ScenarioName(int count, double seconds, double warmUpSeconds) {
    this.count = count;
    this.seconds = seconds;
    this.warmUpSeconds = warmUpSeconds;
  }

  int count() {
    return count;
  }

  double seconds() {
    return seconds;
  }

  double warmUpSeconds() {
    return warmUpSeconds;
  }

  Scenario scenario() {
    return switch (this) {
      case backlog -> new Backlog();
      case finished -> new Finished();
      case parked -> new Parked();
      case leases -> new Leases();
      case planes -> new Planes();
      case redis -> new WithRedis();
      case natives -> new NativeJobs();
      case start -> new Starts();
    };
  }
}
