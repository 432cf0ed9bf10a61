package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.storage.PostgresShapes.Piece;
import dev.stint.storage.PostgresShapes.Shape;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PostgresShapesTest {
  private static final int ALL = Part.NOTES.columns().size();

  private final PostgresShapes shapes = new PostgresShapes(new PostgresDialect(), false);

  @Test
  void whatIsWantedAgainAndAgainIsSentAsItDiffers() throws SQLException {
    List<Piece> alike = notes(2);

    for (int i = 0; i < 3; i++) {
      assertThat(shapes.of(alike).arrays().getFirst().cardinality()).isEqualTo(ALL);
    }
    Shape shape = shapes.of(alike);
    assertThat(shape.arrays().getFirst()).isEqualTo(bits(0, 1));
    assertThat(shape.sql())
        .contains("SELECT given.at, given.job_id, ?::text, ?::text FROM")
        .contains("unnest(?::bigint[], ?::uuid[]) AS given (at, job_id)");
    assertThat(shapes.of(alike)).isEqualTo(shape);
  }

  @Test
  void whatDiffersIsNeverSentAsOneValueAndStatementsStayFew() throws SQLException {
    Random random = new Random(7);
    Set<String> statements = new HashSet<>();
    for (int i = 0; i < 400; i++) {
      PostgresRows rows = new PostgresRows(Part.EVENTS.columns());
      int mask = random.nextInt(1 << 10);
      for (int k = 0; k < 300; k++) {
        write(rows, mask, k);
      }
      Shape shape = shapes.of(List.of(new Piece(Part.EVENTS, rows)));
      BitSet missing = rows.varying();
      missing.andNot(shape.arrays().getFirst());
      assertThat(missing.isEmpty()).isTrue();
      statements.add(shape.sql());
    }
    assertThat(statements).hasSizeLessThan(40);
  }

  private static void write(PostgresRows rows, int mask, int k) throws SQLException {
    rows.uuid(new UUID(1, k)).number(differs(mask, 0) ? k : 0);
    rows.text(text(mask, 1, k)).text(text(mask, 2, k)).text(text(mask, 3, k));
    rows.number(differs(mask, 4) ? k : 0);
    rows.text(text(mask, 5, k)).text(text(mask, 6, k)).text(text(mask, 7, k));
    rows.text(text(mask, 8, k)).endRow();
  }

  private static boolean differs(int mask, int bit) {
    return (mask & (1 << bit)) != 0;
  }

  private static @Nullable String text(int mask, int bit, int k) {
    return differs(mask, bit) ? "v" + k : null;
  }

  private static List<Piece> notes(int count) throws SQLException {
    PostgresRows rows = new PostgresRows(Part.NOTES.columns());
    for (int i = 0; i < count; i++) {
      rows.number(5L).uuid(new UUID(1, i)).text(null).text("q").endRow();
    }
    return List.of(new Piece(Part.NOTES, rows));
  }

  private static BitSet bits(int... set) {
    BitSet bits = new BitSet();
    for (int bit : set) {
      bits.set(bit);
    }
    return bits;
  }
}
