package dev.stint.storage;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How the rows of a save are sent. Jobs that come, are taken or end together mostly differ in
 * little more than their ids; statements that get the rest once, and not an array of it, cost the
 * database a third less, and a single row far less. Each choice of columns needs statements of its
 * own, so only what comes again and again gets them, and no more than a few for the same parts.
 */
final class PostgresShapes {
  private static final int WANTED_OFTEN = 4;
  private static final int MAX_SHAPES = 4;
  private static final int MAX_WANTED = 64;
  private static final int MAX_KNOWN = 64;

  /** The parts that insert all of their columns, and where. */
  private static final Map<Part, String> TABLES =
      Map.of(
          Part.NEW_JOBS, "job_live",
          Part.NEW_ENDED_JOBS, "job_over",
          Part.NEW_CONTENTS, "job_content",
          Part.NEW_KEYS, "idempotency_key",
          Part.ATTEMPTS, "attempt",
          Part.EVENTS, "event",
          Part.RECEIPTS, "claim_receipt",
          Part.DEAD, "dead_letter",
          Part.NOTES, "outbox");

  private static final Set<Part> UPDATES =
      Set.of(Part.MOVED_JOBS, Part.HELD_JOBS, Part.ENDED_JOBS, Part.REVISED_JOBS, Part.ALIVE_JOBS);

  /** If one of these differs, others of the same set soon will: it is sent as if they did. */
  private static final List<Set<String>> TOGETHER =
      List.of(
          Set.of("type", "from_state", "to_state", "fence", "worker_id", "request_id"),
          Set.of("attempts", "failures", "losses", "fence", "lease_attempt", "lease_fence"),
          Set.of("attempt_id", "lease_token", "worker_id"),
          Set.of("claimed_at", "started_at", "lease_until", "due_at"));

  private final PostgresDialect dialect;
  private final boolean isNumbered;
  private final Map<List<Part>, Known> known = new HashMap<>();

  /**
   * Shapes.
   *
   * @param isNumbered whether the statement for events gives their numbers
   */
  PostgresShapes(PostgresDialect dialect, boolean isNumbered) {
    this.dialect = dialect;
    this.isNumbered = isNumbered;
  }

  /** Rows of a part. */
  record Piece(Part part, PostgresRows rows) {
    private boolean isFlexible() {
      return UPDATES.contains(part) || TABLES.containsKey(part);
    }

    /**
     * Binds its rows from {@code parameter} on, in the order of its statement: arrays come last but
     * where jobs end. Returns the parameter after it.
     */
    int bind(PreparedStatement statement, int parameter, BitSet arrays) throws SQLException {
      return part == Part.ENDED_JOBS
          ? rows.bindValues(statement, rows.bindArrays(statement, parameter, arrays), arrays)
          : rows.bindArrays(statement, rows.bindValues(statement, parameter, arrays), arrays);
    }

    /** The columns that have to be arrays. */
    private BitSet needed() {
      BitSet all = part.columns().all();
      if (!isFlexible()) {
        return all;
      }
      BitSet needed = rows.varying();
      needed.set(UPDATES.contains(part) ? all.length() - 1 : 0);
      for (Set<String> together : TOGETHER) {
        BitSet places = part.columns().places(together);
        if (places.intersects(needed)) {
          needed.or(places);
        }
      }
      return needed;
    }
  }

  /**
   * Statements for some pieces, one after the other.
   *
   * @param sqlAndCommit the same, and then the end of the transaction
   * @param arrays for each of them the columns that it gets as arrays; of others it gets one value
   */
  record Shape(String sql, String sqlAndCommit, List<BitSet> arrays) {
    private int width() {
      return arrays.stream().mapToInt(BitSet::cardinality).sum();
    }

    private boolean covers(List<BitSet> needed) {
      for (int i = 0; i < arrays.size(); i++) {
        BitSet missing = (BitSet) needed.get(i).clone();
        missing.andNot(arrays.get(i));
        if (!missing.isEmpty()) {
          return false;
        }
      }
      return true;
    }
  }

  /** The statements to send these with. */
  Shape of(List<Piece> pieces) {
    List<Part> parts = pieces.stream().map(Piece::part).toList();
    Shape shape = best(parts, pieces.stream().map(Piece::needed).toList());
    return shape != null
        ? shape
        : shape(parts, parts.stream().map(part -> part.columns().all()).toList());
  }

  private synchronized @Nullable Shape best(List<Part> parts, List<BitSet> needed) {
    if (known.size() > MAX_KNOWN) {
      known.clear();
    }
    return known.computeIfAbsent(parts, absent -> new Known()).best(parts, needed);
  }

  private Shape shape(List<Part> parts, List<BitSet> arrays) {
    List<String> statements = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      Part part = parts.get(i);
      boolean isPlain = arrays.get(i).cardinality() == part.columns().size();
      String statement = isPlain ? dialect.save(part) : text(part, arrays.get(i));
      statements.add(isNumbered && part == Part.EVENTS ? statement + " RETURNING seq" : statement);
    }
    String sql = String.join(";\n", statements);
    return new Shape(sql, sql + ";\nCOMMIT", arrays);
  }

  /** What is known of saves with the same parts. */
  private final class Known {
    /** The one that was used longest ago comes first. */
    final Map<List<BitSet>, Shape> shapes = new LinkedHashMap<>(MAX_SHAPES, 0.75f, true);

    final Map<List<BitSet>, Integer> wanted = new HashMap<>();

    @Nullable Shape best(List<Part> parts, List<BitSet> needed) {
      Shape exact = shapes.get(needed);
      if (exact != null) {
        return exact;
      }
      if (wanted.merge(needed, 1, Integer::sum) < WANTED_OFTEN) {
        if (wanted.size() > MAX_WANTED) {
          wanted.clear();
        }
        return leastCovering(needed);
      }
      wanted.remove(needed);
      if (shapes.size() == MAX_SHAPES) {
        shapes.remove(shapes.keySet().iterator().next());
      }
      Shape added = shape(parts, needed);
      shapes.put(needed, added);
      return added;
    }

    private @Nullable Shape leastCovering(List<BitSet> needed) {
      Shape least = null;
      for (Shape shape : shapes.values()) {
        if (shape.covers(needed) && (least == null || shape.width() < least.width())) {
          least = shape;
        }
      }
      return least;
    }
  }

  /** A part's statement that gets these columns as arrays, after one value for each other one. */
  static String text(Part part, BitSet arrays) {
    Columns columns = part.columns();
    Columns given = columns.at(arrays);
    String table = TABLES.get(part);
    return table == null
        ? PostgresSaves.update(part, arrays)
        : """
        INSERT INTO %s (%s) SELECT %s FROM unnest(%s) AS given (%s)
        """
            .formatted(
                table,
                columns.names(),
                columns.valuesFrom("given", arrays),
                given.arrays(),
                given.names());
  }
}
