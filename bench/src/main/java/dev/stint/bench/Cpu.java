package dev.stint.bench;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** How much processor time a process and its children have used since it was looked at first. */
final class Cpu {
  private final ProcessHandle process;
  private final long beginNanos = System.nanoTime();
  private final Map<Long, Duration> atBegin = new HashMap<>();

  Cpu(ProcessHandle process) {
    this.process = process;
    all().forEach(each -> atBegin.put(each.pid(), used(each)));
  }

  /** Cores that were busy on average since then. */
  double cores() {
    long nanos =
        all()
            .mapToLong(
                each -> used(each).minus(atBegin.getOrDefault(each.pid(), Duration.ZERO)).toNanos())
            .sum();
    return nanos / (double) (System.nanoTime() - beginNanos);
  }

  private Stream<ProcessHandle> all() {
    return Stream.concat(Stream.of(process), process.descendants());
  }

  private static Duration used(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }
}
