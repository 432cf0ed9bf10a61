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
  private static final String BY_ID = "SELECT command, requirements FROM needs WHERE id = ?";

  private final Dialect dialect;
  private final Map<Long, Needs> byId = new ConcurrentHashMap<>();
  private final Map<Needs, Long> ids = new ConcurrentHashMap<>();

  NeedsCatalog(Dialect dialect) {
    this.dialect = dialect;
  }

  void learn(long id, Needs needs) {
    byId.put(id, needs);
    ids.put(needs, id);
  }

  @Nullable Long idOf(Needs needs) {
    return ids.get(needs);
  }

  /** The class that committed jobs refer to by {@code id}; asks {@code session} if it is new. */
  Needs byId(long id, Session session) throws SQLException {
    Needs known = byId.get(id);
    if (known != null) {
      return known;
    }
    PreparedStatement select = session.prepare(BY_ID);
    select.setLong(1, id);
    try (ResultSet result = select.executeQuery()) {
      if (!result.next()) {
        throw new IllegalStateException("a job refers to needs " + id + ", which do not exist");
      }
      Needs needs = new Needs(result.getBoolean(1), new TreeSet<>(dialect.texts(result, 2)));
      learn(id, needs);
      return needs;
    }
  }

  /** Gives the class that a job refers to. */
  interface Lookup {
    Needs of(long id) throws SQLException;
  }
}
