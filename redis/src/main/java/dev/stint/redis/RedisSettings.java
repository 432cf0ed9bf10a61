package dev.stint.redis;

/**
 * What can be set about Redis.
 *
 * @param nativeLeaseSeconds how long a worker that reads streams itself keeps a job without a sign
 *     of life
 */
public record RedisSettings(RedisAddress address, int nativeLeaseSeconds) {
  public static final int NATIVE_LEASE_SECONDS = 300;
}
