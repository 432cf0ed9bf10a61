package dev.stint.engine;

import java.util.UUID;

/**
 * How far the output of a job has come.
 *
 * @param fence of the attempt that gave the newest part
 * @param offset where that attempt's output goes on, in bytes of UTF-8
 * @param bytes what is counted of all that its attempts gave
 */
public record OutputMark(UUID jobId, long fence, long offset, long bytes) {

  /** The same for the attempt of {@code newFence}, which begins at the beginning. */
  OutputMark of(long newFence) {
    return newFence == fence ? this : new OutputMark(jobId, newFence, 0, bytes);
  }
}
