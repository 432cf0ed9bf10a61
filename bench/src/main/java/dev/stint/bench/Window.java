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
    return server.map(handle -> cores(serverCpuNanos));
  }

  double generatorCores() {
    return cores(generatorCpuNanos);
  }

  private double cores(long cpuNanos) {
    return nanos == 0 ? 0 : (double) cpuNanos / nanos;
  }

  private static long cpuNanos(Optional<ProcessHandle> process) {
    return process
        .map(ProcessHandle::info)
        .flatMap(Info::totalCpuDuration)
        .map(Duration::toNanos)
        .orElse(0L);
  }
}
