package dev.stint.redis;

/** This Redis belongs to another database, so that nothing may be written into it. */
final class ForeignRedisException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ForeignRedisException() {
    super(
        "this Redis shows the jobs of another database; to have it show those of this one, stop the"
            + " other's servers and delete the key "
            + Keys.STORE);
  }
}
