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
    if (postgres.isEmpty()) {
      return start(Optional.empty());
    }
    return start(Optional.of(postgres.get().jdbcUrl(postgres.get().newDatabase())));
  }

  /** Another server on the database of one that runs, with the same token. */
  ServerProcess startBeside(ServerProcess other) throws RunFailedException {
    ServerProcess server =
        ServerProcess.start(Optional.of(other.db()), List.of(), other.target().token());
    servers.add(server);
    return server;
  }

  private ServerProcess start(Optional<String> db) throws RunFailedException {
    ServerProcess server = ServerProcess.start(db, List.of());
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
