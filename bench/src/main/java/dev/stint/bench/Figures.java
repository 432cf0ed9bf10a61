package dev.stint.bench;

import java.util.Optional;

/**
 * What one run measured.
 *
 * @param jobs all jobs of the run, warm-up included; each was submitted, claimed and completed once
 * @param echo empty where the server has no echo route
 * @param commits of the server while the lifecycle was measured
 */
record Figures(
    int connections,
    int jobs,
    Tally tally,
    Window lifecycle,
    Optional<Window> echo,
    Commits commits) {

  double jobsPerSecond() {
    return lifecycle.perSecond(tally.of(Call.COMPLETE).count());
  }

  double requestsPerSecond() {
    return lifecycle.perSecond(tally.lifecycleRequests());
  }

  Optional<Double> echoPerSecond() {
    return echo.map(window -> window.perSecond(tally.of(Call.ECHO).count()));
  }

  /** Requests a second of the lifecycle for each one of the echo. */
  Optional<Double> ratio() {
    return echoPerSecond().filter(rate -> rate > 0).map(rate -> requestsPerSecond() / rate);
  }
}
