package dev.stint.bench;

import java.util.List;
import java.util.Optional;

/**
 * A server with Redis beside its database, in turns with one without: what it costs that every job
 * is mirrored, has its message, and that claims ask for it.
 */
final class WithRedis implements Scenario {
  private static final int TURNS = 6;
  private static final double LEAST_SHARE = 0.8;

  @Override
  public Sheet run(Setting setting) throws RunFailedException {
    Sheet sheet =
        new Sheet(
            "redis",
            "Redis beside the database",
            "database",
            "Redis",
            "connections",
            "jobs",
            "jobs/s",
            "÷ without");
    sheet.fact(
        "measured",
        "%d turns of %.1f s for each, single calls; Redis without persistence, on the same machine"
            .formatted(TURNS, setting.seconds() / TURNS));
    for (Contender.Storage storage : setting.storages()) {
      measure(setting, storage, sheet);
    }
    return sheet.note("every job was submitted, claimed and completed exactly once");
  }

  private static void measure(Setting setting, Contender.Storage storage, Sheet sheet)
      throws RunFailedException {
    try (RedisProcess redis = RedisProcess.startInMemory(PeerCache.ofUser());
        ScenarioServers servers = ScenarioServers.on(storage)) {
      sheet.fact("database", servers.database().describe());
      String url = "redis://127.0.0.1:" + redis.port();
      TurnLoad without = new TurnLoad(List.of(servers.start().target()), setting.count());
      TurnLoad with = new TurnLoad(List.of(servers.startWithRedis(url).target()), setting.count());
      without.run(Drive.seconds(setting.warmUpSeconds()), false);
      with.run(Drive.seconds(setting.warmUpSeconds()), false);
      TurnLoad.inTurns(without, with, TURNS, setting);
      String database = storage.word();
      double share = with.perSecond() / without.perSecond();
      sheet.row(database, "no", setting.count(), without.jobs(), without.perSecond(), 1.0);
      sheet.row(database, "yes", setting.count(), with.jobs(), with.perSecond(), share);
      sheet.atLeast("jobs/s with Redis ÷ without, " + database, LEAST_SHARE, Optional.of(share));
    }
  }
}
