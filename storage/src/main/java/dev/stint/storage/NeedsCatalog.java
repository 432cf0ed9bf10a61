package dev.stint.storage;

import dev.stint.engine.Needs;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The classes of needs that are known to be committed. What a transaction adds comes in only once
 * it has committed: after a rollback SQLite gives the same id to another class.
 */
final class NeedsCatalog {
  private static final String BY_ID =
      "SELECT command, requirements, tenant, workspace, target FROM needs WHERE id = ?";

  /** What stands in the table where a class has no tenant, workspace or target. */
  private static final String NONE = "";

  private final Dialect dialect;
  private volatile Known known = new Known();

  /**
   * What is known until everything is forgotten. Who looks something up puts it where it began to
   * look: what a database said that another has replaced since is not learned any more.
   */
  static final class Known {
    private final Map<Long, Needs> byId = new ConcurrentHashMap<>();
    private final Map<Needs, Long> ids = new ConcurrentHashMap<>();

    void learn(long id, Needs needs) {
      byId.put(id, needs);
      ids.put(needs, id);
    }

    @Nullable Long idOf(Needs needs) {
      return ids.get(needs);
    }
  }

  NeedsCatalog(Dialect dialect) {
    this.dialect = dialect;
  }

  Known known() {
    return known;
  }

  /** Forgets everything: what was committed may be lost. */
  void forget() {
    known = new Known();
  }

  /** The class that committed jobs refer to by {@code id}; asks {@code session} if it is new. */
  Needs byId(long id, Session session) throws SQLException {
    Known learning = known;
    Needs learned = learning.byId.get(id);
    if (learned != null) {
      return learned;
    }
    PreparedStatement select = session.prepare(BY_ID);
    select.setLong(1, id);
    try (ResultSet result = select.executeQuery()) {
      if (!result.next()) {
        throw new IllegalStateException("a job refers to needs " + id + ", which do not exist");
      }
      Needs needs =
          new Needs(
              result.getBoolean(1),
              new TreeSet<>(dialect.texts(result, 2)),
              orNull(result.getString(3)),
              orNull(result.getString(4)),
              orNull(result.getString(5)));
      learning.learn(id, needs);
      return needs;
    }
  }

  /** A tenant, workspace or target as it is kept. */
  static String kept(@Nullable String given) {
    return given == null ? NONE : given;
  }

  private static @Nullable String orNull(String kept) {
    return kept.equals(NONE) ? null : kept;
  }

  /** Binds what a class is, from the first parameter on. */
  void bind(PreparedStatement insert, Needs needs) throws SQLException {
    insert.setBoolean(1, needs.command());
    dialect.bindTexts(insert, 2, needs.requirements());
    insert.setString(3, kept(needs.tenant()));
    insert.setString(4, kept(needs.workspace()));
    insert.setString(5, kept(needs.target()));
  }

  /** Gives the class that a job refers to. */
  interface Lookup {
    Needs of(long id) throws SQLException;
  }
}
