package dev.stint.storage;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.stint.engine.Event;
import dev.stint.engine.Needs;
import dev.stint.engine.StoreConflictException;
import dev.stint.engine.StoreUnavailableException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;

/** The store in a PostgreSQL database, which several control planes may share. */
final class PostgresStore extends SqlStore {
  /** Two, so that one can work while the other waits for the disk. */
  private static final int WRITERS = 2;

  private static final int READERS = 8;
  private static final int CONNECTION_TIMEOUT_MS = 5_000;
  static final long CHANGES_PER_VACUUM = 50_000;

  private final PostgresDialect dialect;
  private final NeedsCatalog catalog;
  private volatile JobCache cache = new JobCache();
  private volatile ClaimTrails trails = new ClaimTrails(System::nanoTime);
  private final PostgresShapes shapes;
  private final PostgresShapes numberedShapes;
  private final HikariDataSource readers;
  private final PostgresAnnouncements announcements;
  private final PostgresVacuum vacuum;

  private PostgresStore(
      PostgresConnections connections, PostgresDialect dialect, NeedsCatalog catalog) {
    super(dialect, new SessionPool(WRITERS, connections::writer), READERS, catalog);
    this.dialect = dialect;
    this.catalog = catalog;
    shapes = new PostgresShapes(dialect, false);
    numberedShapes = new PostgresShapes(dialect, true);
    readers = readers(connections);
    announcements = new PostgresAnnouncements(connections, this);
    vacuum = new PostgresVacuum(connections, CHANGES_PER_VACUUM);
  }

  static PostgresStore open(String url) {
    PostgresConnections connections = new PostgresConnections(url);
    try {
      new PostgresSchema(connections).migrate();
      PostgresDialect dialect = new PostgresDialect();
      PostgresStore store = new PostgresStore(connections, dialect, new NeedsCatalog(dialect));
      store.writerSessions().openAll();
      fold(connections, dialect);
      store.resumeTime();
      store.vacuum.start();
      return store;
    } catch (SQLException e) {
      throw unusable(connections, e);
    } catch (FlywayException | StoreUnavailableException e) {
      SQLException cause = sqlCause(e);
      throw cause != null
          ? unusable(connections, cause)
          : new StoreUnusableException(
              "the schema %s in %s is not Stint's; say another with ?currentSchema="
                  .formatted(connections.schema(), connections.place()),
              e);
    }
  }

  /** Unless others are at work and the tables cannot be had: the next start will do. */
  private static void fold(PostgresConnections connections, PostgresDialect dialect)
      throws SQLException {
    try {
      connections.run(PostgresDialect.FOLD);
    } catch (SQLException e) {
      if (!(dialect.failure(e) instanceof StoreConflictException)) {
        throw e;
      }
    }
  }

  private static @Nullable SQLException sqlCause(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql) {
        return sql;
      }
    }
    return null;
  }

  /** Why, without what is secret in the URL. */
  static StoreUnusableException unusable(PostgresConnections connections, SQLException e) {
    String place = connections.place();
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    return new StoreUnusableException(
        switch (state) {
          case "28P01", "28000" ->
              "PostgreSQL at %s refused the user or the password; check both in the URL"
                  .formatted(place);
          case "3D000" -> "there is no database %s; create it, or name another".formatted(place);
          case "42501" ->
              "the user may not create the schema %s in %s; grant it CREATE on the database"
                  .formatted(connections.schema(), place);
          default ->
              state.startsWith("08") || state.startsWith("57P") || state.startsWith("53")
                  ? "PostgreSQL at %s does not answer; start it, or correct the URL"
                      .formatted(place)
                  : "PostgreSQL at %s cannot be used (SQLSTATE %s); see its log"
                      .formatted(place, state);
        },
        e);
  }

  private static HikariDataSource readers(PostgresConnections connections) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("stint-readers");
    config.setDataSource(connections.source());
    config.setConnectionInitSql(connections.settings());
    config.setMaximumPoolSize(READERS);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(CONNECTION_TIMEOUT_MS);
    config.setValidationTimeout(CONNECTION_TIMEOUT_MS / 2);
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  NeedsCatalog catalog() {
    return catalog;
  }

  /**
   * How saves are sent.
   *
   * @param isNumbered whether the numbers of events are wanted
   */
  PostgresShapes shapes(boolean isNumbered) {
    return isNumbered ? numberedShapes : shapes;
  }

  /** The database's clock. */
  long clock(Session session) throws SQLException {
    try (ResultSet result = session.prepare(PostgresDialect.CLOCK).executeQuery()) {
      result.next();
      return time().at(result.getLong(1));
    }
  }

  /**
   * The id of a class. A new one is committed by itself, before any job refers to it: writers that
   * meet the same new class never wait for each other, and every id that is known is there to stay.
   */
  long idOf(Needs needs) {
    NeedsCatalog.Known known = catalog.known();
    Long id = known.idOf(needs);
    return id != null ? id : readOrConflict(session -> intern(session, needs, known));
  }

  private long intern(Session session, Needs needs, NeedsCatalog.Known known) throws SQLException {
    String fingerprint = fingerprint(needs);
    PreparedStatement insert = session.prepare(PostgresClaims.INTERN_NEEDS);
    catalog.bind(insert, needs);
    insert.setString(6, fingerprint);
    insert.executeUpdate();
    PreparedStatement select = session.prepare(PostgresClaims.NEEDS_ID);
    select.setString(1, fingerprint);
    try (ResultSet result = select.executeQuery()) {
      result.next();
      long id = result.getLong(1);
      known.learn(id, needs);
      return id;
    }
  }

  /** Nothing for what is anybody's: so it was before there were tenants and targets. */
  private static String whose(Needs needs) {
    List<String> whose =
        Stream.of(needs.tenant(), needs.workspace(), needs.target())
            .map(NeedsCatalog::kept)
            .toList();
    return whose.stream().allMatch(String::isEmpty) ? "" : JsonTexts.write(whose);
  }

  private static String fingerprint(Needs needs) {
    try {
      String all = needs.command() + JsonTexts.write(needs.requirements()) + whose(needs);
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha.digest(all.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public int writers() {
    return WRITERS;
  }

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  public void lead(String lead) {
    read(session -> {
      PreparedStatement begin = session.prepare(PostgresDialect.BEGIN_LEAD);
      begin.setString(1, lead);
      return begin.executeUpdate();
    });
  }

  @Override
  public boolean leads(String lead) {
    return read(session -> {
      try (ResultSet result = session.prepare(PostgresDialect.LEAD).executeQuery()) {
        return result.next() && lead.equals(result.getString(1));
      }
    });
  }

  @Override
  public long now() {
    return read(this::clock);
  }

  @Override
  public void announce(List<Ready> ready) {
    announcements.announce(ready);
  }

  @Override
  public void onAnnouncement(Consumer<List<Ready>> listener) {
    announcements.listen(listener);
  }

  @Override
  public void announceNews(List<Event> events) {
    announcements.announceNews(events);
  }

  @Override
  public void announceInterest() {
    announcements.announceInterest();
  }

  @Override
  public void onNews(Consumer<Collection<UUID>> listener) {
    announcements.listenForNews(listener);
  }

  /** Waits until announcements of others are heard. */
  boolean awaitListening() {
    return announcements.awaitListening();
  }

  @Override
  public void close() {
    announcements.close();
    vacuum.close();
    writerSessions().close();
    readers.close();
  }

  @Override
  SqlTransaction begin(Session session) {
    return new PostgresTransaction(session, this, dialect, cache, trails);
  }

  @Override
  void committed(SqlTransaction transaction) {
    vacuum.changed(((PostgresTransaction) transaction).teach());
  }

  @Override
  void rolledBack() {
    trails.forget();
  }

  @Override
  void forget() {
    cache.forget();
    trails.forget();
  }

  /**
   * Another server may have taken the old one's place, and may lack the last that was committed
   * there. It then gives the numbers of what it lacks to something else: those of transactions, by
   * which the memory tells versions, and those of needs. So nothing counts any more that was
   * learned from the old one. Transactions that still go on there teach a memory that nobody asks,
   * and who begins to read from now on does so on a new connection.
   */
  @Override
  void reopened() {
    readers.getHikariPoolMXBean().softEvictConnections();
    cache = new JobCache();
    trails = new ClaimTrails(System::nanoTime);
    catalog.forget();
  }

  /** A server that may not write any more is as good as gone: another one has taken its place. */
  @Override
  boolean isAlive(Session session) {
    try {
      return session.connection().isValid(CONNECTION_TIMEOUT_MS / 1_000)
          && !PostgresSchema.isReadOnly(session.connection());
    } catch (SQLException e) {
      return false;
    }
  }

  /**
   * Reads, and tries once more if the connection turns out to be broken: after a restart of the
   * server all that wait in the pool are, though it answers again.
   */
  @Override
  <T> T read(SqlWork<T> work) {
    try {
      return readOrConflict(work);
    } catch (StoreConflictException e) {
      // Somebody holds a whole table, as while it is altered. Readers have nothing to try again.
      throw new StoreUnavailableException("the store is too busy", e);
    }
  }

  private <T> T readOrConflict(SqlWork<T> work) {
    try {
      return readOnce(work);
    } catch (StoreUnavailableException e) {
      if (readers.isClosed() || e.getCause() instanceof SQLTransientConnectionException) {
        throw e;
      }
      readers.getHikariPoolMXBean().softEvictConnections();
      return readOnce(work);
    }
  }

  private <T> T readOnce(SqlWork<T> work) {
    try (Session session = new Session(readers.getConnection(), 0)) {
      return work.in(session);
    } catch (SQLException e) {
      throw dialect.failure(e);
    }
  }
}
