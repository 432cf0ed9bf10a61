package dev.stint.bench;

import java.util.List;
import java.util.Optional;

/**
 * Two control planes on one PostgreSQL, each with half of the connections, in turns with one that
 * has them all. The jobs of both are in one book: none may be lost or given out twice.
 */
final class Planes implements Scenario {
  private static final int TURNS = 4;
  private static final double LEAST_SHARE = 0.9;

  @Override
  public Sheet run(Setting setting) throws RunFailedException {
    Sheet sheet =
        new Sheet(
            "planes",
            "Two control planes on one PostgreSQL",
            "control planes",
            "connections",
            "jobs",
            "jobs/s",
            "÷ one alone");
    try (ScenarioServers servers = ScenarioServers.on(Contender.Storage.POSTGRES)) {
      sheet.fact("database", servers.database().describe());
      sheet.fact(
          "measured",
          "%d turns of %.1f s for each, single calls; the second is up but idle while one works"
              .formatted(TURNS, setting.seconds() / TURNS));
      ServerProcess first = servers.start();
      ServerProcess second = servers.startBeside(first);
      TurnLoad one = new TurnLoad(List.of(first.target()), setting.count());
      TurnLoad two = new TurnLoad(List.of(first.target(), second.target()), setting.count());
      two.run(Drive.seconds(setting.warmUpSeconds()), false);
      TurnLoad.inTurns(one, two, TURNS, setting);
      double share = two.perSecond() / one.perSecond();
      sheet.row("one", setting.count(), one.jobs(), one.perSecond(), 1.0);
      sheet.row("two", setting.count(), two.jobs(), two.perSecond(), share);
      sheet.atLeast("jobs/s of two ÷ one alone", LEAST_SHARE, Optional.of(share));
      sheet.chart("jobs/s", false, "control planes");
      return sheet.note("every job was submitted, claimed and completed exactly once");
    }
  }
}
