package dev.stint.engine;

/**
 * What a job asks of the worker that holds it; 0 leaves a value to whoever claims or cancels.
 *
 * @param leaseTtlMs the lease runs out this long after the last sign of life
 * @param heartbeatIntervalMs how often the worker should give one
 * @param cancelGraceMs how long it may take to stop once it was asked
 * @param lostWaitMs how long a lost job stays LOST before it is taken up again
 */
public record LeasePolicy(
    long leaseTtlMs, long heartbeatIntervalMs, long cancelGraceMs, long lostWaitMs) {
  public static final LeasePolicy OF_THE_CLAIMER = new LeasePolicy(0, 0, 0, 0);
}
