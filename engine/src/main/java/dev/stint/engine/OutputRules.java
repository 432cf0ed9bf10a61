package dev.stint.engine;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a part of a worker's output does. It is fenced like a report, and a sign of life like a
 * heartbeat. Its offset makes a repeat harmless: what is there already is left out, and only what
 * follows without a gap is taken.
 */
final class OutputRules {
  /** A part counts as so much at least, so that tiny ones cannot fill the store with rows. */
  static final int LEAST_BYTES = 64;

  private final long retentionMs;
  private final ReportRules reports;

  OutputRules(long retentionMs, ReportRules reports) {
    this.retentionMs = retentionMs;
    this.reports = reports;
  }

  /** What is decided, and how far the output has come with it; null if it came no further. */
  record Verdict(Decision<Outcome.OfOutput> decision, @Nullable OutputMark mark) {}

  Verdict take(
      Job job, List<Attempt> past, @Nullable OutputMark mark, Command.Output output, long now) {
    Lease lease = job.lease();
    if (lease == null || reports.needsPast(job, output)) {
      return refused(reports.stale(job, past, output, now));
    }
    OutputMark before =
        (mark == null ? new OutputMark(job.id(), lease.fence(), 0, 0) : mark).of(lease.fence());
    byte[] all = output.text().getBytes(StandardCharsets.UTF_8);
    long known = before.offset() - output.offset();
    if (known < 0 || (known < all.length && isWithinCharacter(all, (int) known))) {
      return refused(Decision.unchanged(new Outcome.OutputGap(before.offset()), job));
    }
    int added = (int) Math.max(0, all.length - known);
    long bytes = before.bytes() + (added == 0 ? 0 : Math.max(added, LEAST_BYTES));
    if (bytes > output.maxBytes()) {
      return refused(
          Decision.unchanged(new Outcome.OutputFull(before.offset(), output.maxBytes()), job));
    }
    OutputMark after = new OutputMark(job.id(), lease.fence(), before.offset() + added, bytes);
    Revision next = new Revision(job, now);
    ReportRules.startIfAssigned(next, output.proof(), now);
    Lease held = (next.lease() == null ? lease : next.lease()).extendedFrom(now);
    next.lease(held);
    if (added > 0) {
      String text = new String(all, all.length - added, added, StandardCharsets.UTF_8);
      next.note(EventType.OUTPUT, null, json(lease, before.offset(), text));
    }
    boolean started = job.state() == JobState.ASSIGNED;
    Job then = started ? next.job(retentionMs) : next.jobDueAsBefore();
    return new Verdict(
        Rules.decide(new Outcome.OutputTaken(then, held, after.offset()), then, next),
        added > 0 ? after : null);
  }

  /** Whether a character begun before {@code at} goes on there: then it is not the same text. */
  private static boolean isWithinCharacter(byte[] utf8, int at) {
    return (utf8[at] & 0xc0) == 0x80;
  }

  private static String json(Lease lease, long offset, String text) {
    StringBuilder json =
        new StringBuilder(text.length() + 64)
            .append("{\"attempt\":")
            .append(lease.attempt())
            .append(",\"offset\":")
            .append(offset)
            .append(",\"text\":");
    JsonStrings.append(json, text);
    return json.append('}').toString();
  }

  private static Verdict refused(Decision<? extends Outcome.OfOutput> decision) {
    return new Verdict(
        new Decision<>(decision.outcome(), decision.after(), decision.events(), decision.settled()),
        null);
  }
}
