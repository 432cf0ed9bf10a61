package dev.stint.storage;

import java.io.Serial;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PGBinaryObject;
import org.postgresql.util.PGobject;

/** An array of ids in binary: the driver itself would spell each out, for the server to parse. */
final class UuidArray extends PGobject implements PGBinaryObject {
  /** Of {@code uuid[]}, fixed in PostgreSQL. */
  static final int OID = 2951;

  @Serial private static final long serialVersionUID = 1;

  private static final int ELEMENT_OID = 2950;
  private static final int HEADER_BYTES = 20;
  private static final int UUID_BYTES = 16;

  private final @Nullable UUID[] ids;

  UuidArray(@Nullable UUID[] ids) {
    this.ids = ids;
    type = "_uuid";
  }

  @Override
  public String getValue() {
    return Arrays.stream(ids)
        .map(id -> id == null ? "NULL" : id.toString())
        .collect(Collectors.joining(",", "{", "}"));
  }

  @Override
  public boolean isNull() {
    return false;
  }

  @Override
  public void setByteValue(byte[] value, int offset) {
    throw new UnsupportedOperationException("these are sent and never read");
  }

  @Override
  public int lengthInBytes() {
    long present = Arrays.stream(ids).filter(Objects::nonNull).count();
    return HEADER_BYTES + ids.length * Integer.BYTES + (int) present * UUID_BYTES;
  }

  /** Dimensions, whether there are NULLs, type, length, first index; then length and value each. */
  @Override
  public void toBytes(byte[] bytes, int offset) {
    ByteBuffer out = ByteBuffer.wrap(bytes, offset, bytes.length - offset);
    boolean hasNulls = Arrays.stream(ids).anyMatch(Objects::isNull);
    out.putInt(1).putInt(hasNulls ? 1 : 0).putInt(ELEMENT_OID).putInt(ids.length).putInt(1);
    for (UUID id : ids) {
      if (id == null) {
        out.putInt(-1);
      } else {
        out.putInt(UUID_BYTES);
        out.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
      }
    }
  }
}
