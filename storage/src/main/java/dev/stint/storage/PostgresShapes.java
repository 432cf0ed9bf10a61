package dev.stint.storage;

import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How the rows of a part are sent. Many jobs that come, are taken or end together mostly differ in
 * little more than their ids; a statement that gets the rest once, and not an array of it, costs
 * the database half. Each set of columns that differ needs a statement of its own, so only those
 * that come again and again get one, and no more than a few for each part.
 */
final class PostgresShapes {
  /** With fewer rows there is not much to win. */
  private static final int FEW_ROWS = 16;

  private static final int WANTED_OFTEN = 4;
  private static final int MAX_SHAPES = 8;
  private static final int MAX_WANTED = 64;

  /** The parts that insert all of their columns, and where. */
  private static final Map<Part, String> TABLES =
      Map.of(
          Part.NEW_JOBS, "job",
          Part.NEW_CONTENTS, "job_content",
          Part.NEW_KEYS, "idempotency_key",
          Part.ATTEMPTS, "attempt",
          Part.EVENTS, "event",
          Part.RECEIPTS, "claim_receipt",
          Part.DEAD, "dead_letter",
          Part.NOTES, "outbox");

  private static final Set<Part> UPDATES = Set.of(Part.MOVED_JOBS, Part.ALIVE_JOBS);

  private final PostgresDialect dialect;
  private final Map<Part, Known> known = new EnumMap<>(Part.class);

  PostgresShapes(PostgresDialect dialect) {
    this.dialect = dialect;
  }

  /**
   * A statement for a part.
   *
   * @param arrays the columns that it gets as arrays; of all others it gets one value
   */
  record Shape(String sql, BitSet arrays) {}

  /** The statement to send these rows with. */
  synchronized Shape of(Part part, PostgresRows rows) {
    boolean isUpdate = UPDATES.contains(part);
    if (rows.rows() < FEW_ROWS || !(isUpdate || TABLES.containsKey(part))) {
      return plain(part);
    }
    BitSet varying = rows.varying();
    varying.set(isUpdate ? part.columns().size() - 1 : 0);
    Shape shape = known.computeIfAbsent(part, absent -> new Known()).best(part, varying);
    return shape == null ? plain(part) : shape;
  }

  private Shape plain(Part part) {
    BitSet all = new BitSet();
    all.set(0, part.columns().size());
    return new Shape(dialect.save(part), all);
  }

  /** What is known of one part. */
  private static final class Known {
    /** The one that was used longest ago comes first. */
    final Map<BitSet, Shape> shapes = new LinkedHashMap<>(MAX_SHAPES, 0.75f, true);

    final Map<BitSet, Integer> wanted = new HashMap<>();

    @Nullable Shape best(Part part, BitSet varying) {
      Shape exact = shapes.get(varying);
      if (exact != null) {
        return exact;
      }
      if (wanted.merge(varying, 1, Integer::sum) < WANTED_OFTEN) {
        if (wanted.size() > MAX_WANTED) {
          wanted.clear();
        }
        return covering(varying);
      }
      wanted.remove(varying);
      if (shapes.size() == MAX_SHAPES) {
        shapes.remove(shapes.keySet().iterator().next());
      }
      Shape added = new Shape(text(part, varying), varying);
      shapes.put(varying, added);
      return added;
    }

    /** The one with the fewest arrays among those that have all that are needed. */
    private @Nullable Shape covering(BitSet varying) {
      Shape least = null;
      for (Shape shape : shapes.values()) {
        BitSet missing = (BitSet) varying.clone();
        missing.andNot(shape.arrays);
        boolean isLess = least == null || shape.arrays.cardinality() < least.arrays.cardinality();
        if (missing.isEmpty() && isLess) {
          least = shape;
        }
      }
      return least;
    }
  }

  static String text(Part part, BitSet arrays) {
    Columns columns = part.columns();
    Columns given = columns.at(arrays);
    return UPDATES.contains(part)
        ? """
        UPDATE job SET %s FROM unnest(%s) AS given (%s) WHERE job.id = given.id
        """
            .formatted(
                columns.first(columns.size() - 1).assignmentsFrom("given", arrays),
                given.arrays(),
                given.names())
        : """
        INSERT INTO %s (%s) SELECT %s FROM unnest(%s) AS given (%s)
        """
            .formatted(
                TABLES.get(part),
                columns.names(),
                columns.valuesFrom("given", arrays),
                given.arrays(),
                given.names());
  }
}
