package dev.stint.worker;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What the processes of one attempt at a job carry in their environment, so that they can be found
 * wherever they went.
 */
record Mark(String jobId, long fence) {
  private static final String JOB = "STINT_JOB_ID";
  private static final String FENCE = "STINT_FENCE";

  void putInto(Map<String, String> environment) {
    environment.put(JOB, jobId);
    environment.put(FENCE, Long.toString(fence));
  }

  /** An environment, as {@code /proc/<pid>/environ} has it, to be looked through for marks. */
  static String text(byte[] environ) {
    return "\0" + new String(environ, StandardCharsets.ISO_8859_1) + "\0";
  }

  /** Whether an environment carries this mark. */
  boolean isIn(String entries) {
    return entries.contains("\0" + JOB + "=" + latin(jobId) + "\0")
        && entries.contains("\0" + FENCE + "=" + fence + "\0");
  }

  private static String latin(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /** As part of a file's name. */
  String fileName() {
    return jobId.replaceAll("[^A-Za-z0-9_-]", "_") + "." + fence;
  }

  @Override
  public String toString() {
    return jobId + " (fence " + fence + ")";
  }
}
