package dev.stint.storage;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What one database says differently: its statements, its ids and its failures. */
interface Dialect {
  /** Binds: ids. Reads: {@link JobTable#ALL}, in id order. */
  String lockJobs();

  /** The same without locking. */
  String jobs();

  /** Binds: ids. Reads: {@link JobTable#ALL} and {@link ContentTable#VALUES}. */
  String works();

  /** Binds: workers, limit for each. Reads: the worker and the id of each job that it holds. */
  String heldBy();

  /** The table of jobs that are not over, which may have others too. */
  String live();

  /** Binds: now, limit. Reads: {@link JobTable#ALL} of urgent jobs, earliest first. */
  String lockDue();

  /** Binds the same. Reads: {@link JobTable#FADING_VALUES} of all others, earliest first. */
  String lockFading();

  /** Binds: workers. Reads: {@link WorkerTable#ALL}. */
  String lockWorkers();

  /** Binds: now, limit. Reads: {@link WorkerTable#ALL}. */
  String lockDueWorkers();

  /** Binds: ids. Reads: {@link ContentTable#ALL}. */
  String contents();

  /** Binds: ids. Reads: {@link AttemptTable#ALL}, by job and fence. */
  String attempts();

  /** Binds: workers, claims (lists of equal length), now. Reads: {@link Part#RECEIPTS}. */
  String receipts();

  /** Binds: keys. Reads: {@link Part#NEW_KEYS}. */
  String keys();

  /** Binds: ids. Reads: {@link Part#OUTPUTS}. */
  String outputMarks();

  /** Binds: ids of jobs. Reads: the id and the number of its newest event, for those with any. */
  String lastEventSeqs();

  /** Binds: ids. Reads: {@link MirrorReads#COLUMNS}. */
  String mirrored();

  /** Binds: ids, numbers (lists of equal length), limit. Reads: {@link EventTable#ALL}. */
  String eventsAfter();

  /** Writes rows of {@link Part#columns()}. */
  String save(Part part);

  /** Has the rows of a query come a few at a time, so that who stops early has not read all. */
  void fetchInParts(PreparedStatement select) throws SQLException;

  /** The operator that finds a pattern in small and capital letters. */
  String like();

  @Nullable UUID uuid(ResultSet result, int column) throws SQLException;

  void bind(PreparedStatement statement, int parameter, UUID id) throws SQLException;

  void bindIds(PreparedStatement statement, int parameter, Collection<UUID> ids)
      throws SQLException;

  void bindTexts(PreparedStatement statement, int parameter, Collection<String> texts)
      throws SQLException;

  /**
   * Binds from the first parameter on what {@link #eventsAfter} is to go by; gives the next one.
   */
  int bindSeqs(PreparedStatement statement, Map<UUID, Long> seqs) throws SQLException;

  List<String> texts(ResultSet result, int column) throws SQLException;

  /** What the engine is told of a failure. Goes by codes, never by messages. */
  RuntimeException failure(SQLException e);
}
