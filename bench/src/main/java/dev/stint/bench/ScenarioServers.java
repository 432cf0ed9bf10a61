package dev.stint.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The servers of a scenario, each with a fresh database of the wanted kind, and all their ends. */
final class ScenarioServers implements AutoCloseable {
  private final Optional<PostgresProcess> postgres;
  private final List<ServerProcess> servers = new ArrayList<>();

  private ScenarioServers(Optional<PostgresProcess> postgres) {
    this.postgres = postgres;
  }

  static ScenarioServers on(Contender.Storage storage) throws RunFailedException {
    return new ScenarioServers(
        storage == Contender.Storage.POSTGRES
            ? Optional.of(PostgresProcess.start())
            : Optional.empty());
  }

  /** A server on a database of its own. */
  ServerProcess start() throws RunFailedException {
    return kept(ServerProcess.start(newDatabase(), List.of()));
  }

  /** The same, with Redis beside its database. */
  ServerProcess startWithRedis(String redisUrl) throws RunFailedException {
    return kept(ServerProcess.startWithRedis(newDatabase(), redisUrl));
  }

  private Optional<String> newDatabase() throws RunFailedException {
    return postgres.isEmpty()
        ? Optional.empty()
        : Optional.of(postgres.get().jdbcUrl(postgres.get().newDatabase()));
  }

  /** Another server on the database of one that runs, with the same token. */
  ServerProcess startBeside(ServerProcess other) throws RunFailedException {
    return kept(ServerProcess.start(Optional.of(other.db()), List.of(), other.target().token()));
  }

  private ServerProcess kept(ServerProcess server) {
    servers.add(server);
    return server;
  }

  /** The database and its settings. */
  Database database() throws RunFailedException {
    return postgres.isPresent()
        ? Database.postgres(postgres.get().jdbcUrl("postgres"))
        : Database.temporarySqlite();
  }

  /** The processor time of the database, where it is a process of its own. */
  Optional<Cpu> databaseCpu() {
    return postgres.map(each -> new Cpu(each.handle()));
  }

  @Override
  public void close() {
    servers.forEach(ServerProcess::close);
    postgres.ifPresent(PostgresProcess::close);
  }
}
