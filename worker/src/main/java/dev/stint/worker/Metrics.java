package dev.stint.worker;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How busy and how full the machine is. */
final class Metrics {
  private final OperatingSystemMXBean machine =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private final Path folder;
  private final Gpus gpus;

  /**
   * Of this machine.
   *
   * @param folder whose disk it tells of
   */
  Metrics(Path folder, Gpus gpus) {
    this.folder = folder;
    this.gpus = gpus;
  }

  Map<String, @Nullable Object> sample() {
    Map<String, @Nullable Object> sample = new LinkedHashMap<>();
    double load = machine.getCpuLoad();
    if (load >= 0) {
      sample.put("cpu_load", load);
    }
    sample.put("cpus", machine.getAvailableProcessors());
    sample.put("memory_total_bytes", machine.getTotalMemorySize());
    sample.put("memory_free_bytes", machine.getFreeMemorySize());
    sample.put("disk_free_bytes", folder.toFile().getUsableSpace());
    List<Map<String, @Nullable Object>> latest = gpus.latest();
    if (!latest.isEmpty()) {
      sample.put("gpus", latest);
    }
    return sample;
  }
}
