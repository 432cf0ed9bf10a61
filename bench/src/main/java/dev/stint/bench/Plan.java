package dev.stint.bench;

import java.time.Duration;

/**
 * What to measure.
 *
 * @param connections how many connections, each with one request under way at any time
 * @param each how long the echo and the lifecycle are measured, each
 * @param warmUp how long both run before anything counts
 * @param payloadBytes the size of a job's payload
 * @param answerWithin how long an answer may take before the run fails
 */
record Plan(
    int connections, Duration each, Duration warmUp, int payloadBytes, Duration answerWithin) {
  static final Duration ANSWER_WITHIN = Duration.ofSeconds(15);
}
