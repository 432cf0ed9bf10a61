package dev.stint.storage;

import java.sql.SQLException;

/** Something done with a session. */
@FunctionalInterface
interface SqlWork<T> {
  T in(Session session) throws SQLException;
}
