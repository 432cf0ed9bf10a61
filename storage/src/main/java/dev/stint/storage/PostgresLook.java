package dev.stint.storage;

import dev.stint.engine.Skills;
import dev.stint.storage.ClaimTrails.Start;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * One look for claimable jobs of a queue, which locks those that it finds.
 *
 * @param candidates how many it looks at where there are several classes, as others may have locked
 *     some
 */
record PostgresLook(String queue, Skills skills, Start start, int limit, int candidates) {
  /** How many more candidates than asked for a first look goes through. */
  private static final int SLACK = 64;

  /**
   * What it found.
   *
   * @param candidates how many it looked at where there are several classes
   * @param versions of the jobs that it locked, in the order of claims
   */
  record Found(long candidates, Map<UUID, Long> versions) {}

  static PostgresLook first(String queue, Skills skills, Start start, int limit) {
    return new PostgresLook(queue, skills, start, limit, limit + SLACK);
  }

  PostgresLook from(Start otherStart) {
    return new PostgresLook(queue, skills, otherStart, limit, candidates);
  }

  PostgresLook wider() {
    return new PostgresLook(queue, skills, start, limit, Math.multiplyExact(candidates, 4));
  }

  String sql() {
    return skills.areNarrow() ? PostgresClaims.LOCK_CLAIMABLE_OF : PostgresClaims.LOCK_CLAIMABLE;
  }

  /** Binds its parameters, of which this is the first. */
  void bind(PreparedStatement select, int first, PostgresDialect dialect) throws SQLException {
    int parameter = skills.areNarrow() ? bindWhose(select, first) : bindPresent(select, first);
    String workspace = NeedsCatalog.kept(skills.workspace());
    select.setString(parameter++, workspace);
    select.setString(parameter++, workspace);
    select.setBoolean(parameter++, skills.commandsOnly());
    dialect.bindTexts(select, parameter++, skills.capabilities());
    select.setString(parameter++, queue);
    select.setLong(parameter++, start.classId());
    select.setLong(parameter++, start.priority());
    select.setInt(parameter++, limit);
    select.setString(parameter++, queue);
    select.setLong(parameter++, start.classId());
    select.setLong(parameter++, start.priority());
    select.setLong(parameter++, start.createdAt());
    select.setInt(parameter++, limit);
    select.setString(parameter++, queue);
    select.setInt(parameter++, candidates);
    select.setInt(parameter++, candidates);
    select.setInt(parameter, limit);
  }

  private int bindWhose(PreparedStatement select, int first) throws SQLException {
    select.setString(first, NeedsCatalog.kept(skills.target()));
    select.setString(first + 1, NeedsCatalog.kept(skills.tenant()));
    return first + 2;
  }

  private int bindPresent(PreparedStatement select, int first) throws SQLException {
    long likely = start.classId();
    int parameter = first;
    select.setLong(parameter++, likely);
    select.setString(parameter++, queue);
    select.setLong(parameter++, likely);
    select.setString(parameter++, queue);
    select.setLong(parameter++, likely);
    select.setLong(parameter++, likely);
    return parameter;
  }

  static Found read(ResultSet result, PostgresDialect dialect) throws SQLException {
    Map<UUID, Long> versions = new LinkedHashMap<>();
    long candidates = 0;
    RowReader row = new RowReader(result, dialect);
    while (row.next()) {
      candidates = row.number();
      UUID id = row.uuidOrNull();
      if (id != null) {
        versions.put(id, row.number());
      }
    }
    return new Found(candidates, versions);
  }
}
