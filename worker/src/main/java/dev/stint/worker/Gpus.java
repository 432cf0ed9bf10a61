package dev.stint.worker;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What {@code nvidia-smi} says. It runs in the background, as it may take long or hang, and never
 * twice at once; so a sample is as old as the one before.
 */
final class Gpus {
  private static final Logger log = LoggerFactory.getLogger(Gpus.class);
  private static final int LONGEST_SECONDS = 10;
  private static final int MOST_BYTES = 64 << 10;

  private final @Nullable Path program;
  private final AtomicBoolean isAsking = new AtomicBoolean();
  private volatile List<Map<String, @Nullable Object>> latest = List.of();

  /** Looks for it once, in the folders of {@code path}. */
  Gpus(String path) {
    program =
        Stream.of(path.split(File.pathSeparator, -1))
            .map(folder -> Path.of(folder, "nvidia-smi"))
            .filter(Files::isExecutable)
            .findFirst()
            .orElse(null);
  }

  /** As last heard; empty if there are none. Asks anew for the next time. */
  List<Map<String, @Nullable Object>> latest() {
    if (program != null && isAsking.compareAndSet(false, true)) {
      Thread.startVirtualThread(() -> ask(program));
    }
    return latest;
  }

  private void ask(Path program) {
    try {
      Process process =
          new ProcessBuilder(
                  program.toString(),
                  "--query-gpu=name,utilization.gpu,memory.used,memory.total",
                  "--format=csv,noheader,nounits")
              .redirectErrorStream(true)
              .start();
      process.getOutputStream().close();
      Thread.startVirtualThread(() -> endInTime(process));
      byte[] bytes = process.getInputStream().readNBytes(MOST_BYTES);
      process.destroyForcibly();
      latest =
          new String(bytes, StandardCharsets.UTF_8)
              .lines()
              .map(Gpus::parse)
              .flatMap(Stream::ofNullable)
              .toList();
      process.waitFor();
    } catch (IOException e) {
      latest = List.of();
      log.debug("{}: {}", program, e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      isAsking.set(false);
    }
  }

  private static void endInTime(Process process) {
    try {
      if (!process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static @Nullable Map<String, @Nullable Object> parse(String line) {
    String[] fields = line.split(",", -1);
    if (fields.length != 4) {
      return null;
    }
    Map<String, @Nullable Object> gpu = new LinkedHashMap<>();
    gpu.put("name", fields[0].strip());
    gpu.put("utilization_percent", number(fields[1]));
    gpu.put("memory_used_mib", number(fields[2]));
    gpu.put("memory_total_mib", number(fields[3]));
    return gpu;
  }

  private static @Nullable Long number(String field) {
    try {
      return Long.valueOf(field.strip());
    } catch (NumberFormatException notSupported) {
      return null;
    }
  }
}
