/** What those need who run a fleet: queues, workers, jobs, dead letters, and why a job waits. */
@NullMarked
package dev.stint.contracts.operator;

import org.jspecify.annotations.NullMarked;
