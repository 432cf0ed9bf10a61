package dev.stint.engine;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Takes the output that jobs give in one transaction, part by part. */
final class OutputDesk {
  private final OutputRules rules;
  private final Batch batch;
  private final Map<UUID, OutputMark> marks = new HashMap<>();

  OutputDesk(OutputRules rules, Batch batch) {
    this.rules = rules;
    this.batch = batch;
  }

  void load(List<? extends Entry<?>> entries, Store.Transaction transaction) {
    Set<UUID> jobIds = new LinkedHashSet<>();
    for (Entry<?> entry : entries) {
      if (entry.command() instanceof Command.Output output) {
        jobIds.add(output.jobId());
      }
    }
    if (!jobIds.isEmpty()) {
      marks.putAll(transaction.outputMarks(jobIds));
    }
  }

  Outcome.OfOutput take(
      Job job, List<Attempt> past, Command.Output output, long now, @Nullable String requestId) {
    OutputRules.Verdict verdict = rules.take(job, past, marks.get(job.id()), output, now);
    if (verdict.mark() != null) {
      marks.put(job.id(), verdict.mark());
      batch.output(verdict.mark());
    }
    return batch.apply(job.id(), verdict.decision(), requestId);
  }
}
