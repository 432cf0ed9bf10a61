/**
 * The load generator behind {@code stint bench}: how many jobs a second, and what a call costs.
 *
 * <p>{@link BenchCommand} has {@link Bench} start a {@link ServerProcess} and measure it: {@link
 * Measurement} by single calls, {@link BatchMeasurement} by those for many, {@link PacedWorkers}
 * and {@link AudienceRun} at a fixed pace. A {@link Loop} drives many {@link Connection}s by a
 * {@link Script}. {@link ScenarioCommand} runs a {@link Scenario}, {@link PeersCommand} the {@link
 * Peers}, {@link AllCommand} everything; what they find is a {@link Sheet}. {@link JobBook} holds
 * that no job was lost or given out twice.
 */
@NullMarked
package dev.stint.bench;

import org.jspecify.annotations.NullMarked;
