package dev.stint.bench;

import java.lang.ProcessHandle.Info;
import java.time.Duration;
import java.util.Optional;

/**
 * The time that one kind of load was measured for, and the processor time that server and generator
 * used meanwhile. Grows slice by slice.
 */
final class Window {
  private final Optional<ProcessHandle> server;
  private long nanos;
  private long serverCpuNanos;
  private long generatorCpuNanos;

  Window(Optional<ProcessHandle> server) {
    this.server = server;
  }

  /** Something to be measured. */
  interface Load {
    /** Returns the nanoseconds of it that count. */
    long run() throws RunFailedException;
  }

  void add(Load load) throws RunFailedException {
    long serverBefore = cpuNanos(server);
    long generatorBefore = cpuNanos(Optional.of(ProcessHandle.current()));
    nanos += load.run();
    serverCpuNanos += cpuNanos(server) - serverBefore;
    generatorCpuNanos += cpuNanos(Optional.of(ProcessHandle.current())) - generatorBefore;
  }

  double perSecond(long count) {
    return nanos == 0 ? 0 : count * 1e9 / nanos;
  }

  /** How many cores the server kept busy on average; empty if it is not ours to look into. */
  Optional<Double> serverCores() {
    return server.map(handle -> per(serverCpuNanos, nanos));
  }

  double generatorCores() {
    return per(generatorCpuNanos, nanos);
  }

  /** The server's processor time for one of so many requests. */
  Optional<Double> serverMicrosEach(long requests) {
    return server.map(handle -> per(serverCpuNanos, requests) / 1e3);
  }

  double generatorMicrosEach(long requests) {
    return per(generatorCpuNanos, requests) / 1e3;
  }

  private static double per(long nanos, long count) {
    return count == 0 ? 0 : (double) nanos / count;
  }

  private static long cpuNanos(Optional<ProcessHandle> process) {
    return process
        .map(ProcessHandle::info)
        .flatMap(Info::totalCpuDuration)
        .map(Duration::toNanos)
        .orElse(0L);
  }
}
