package dev.stint.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a mirror of the jobs has to look at again. A note is written in the transaction of the
 * change that it tells of, and stays until the mirror says that it has taken it in; what the mirror
 * then shows is the job as it is at that time, so that to look twice does no harm.
 */
public final class Outbox {
  private final Store store;
  private final Ledger ledger;
  private final Unseen unseen;
  private final long retentionMs;
  private volatile @Nullable Runnable listener;

  Outbox(Store store, Ledger ledger, Unseen unseen, long retentionMs) {
    this.unseen = unseen;
    this.store = store;
    this.ledger = ledger;
    this.retentionMs = retentionMs;
  }

  /**
   * Calls {@code newListener} after each commit of this control plane that wrote notes, on the
   * thread that did it: it must not block or throw. There is one listener.
   */
  public void onNote(Runnable newListener) {
    listener = newListener;
  }

  void added() {
    Runnable told = listener;
    if (told != null) {
      told.run();
    }
  }

  /** Whether other control planes write notes of which nobody tells. */
  public boolean isShared() {
    return store.isShared();
  }

  /**
   * The notes that are there, oldest first.
   *
   * @param from the least number to look at. One that is less than that of a note which was there
   *     before may still come, from a transaction that took longer.
   */
  public List<Store.Note> notes(long from, int limit) {
    return store.notes(from, limit);
  }

  /** Notes that the mirror has to look at these jobs again, though they have not changed. */
  public void lookAgain(Collection<UUID> jobIds) {
    ledger.execute(new Command.LookAgain(List.copyOf(jobIds)), null);
  }

  /** Lets go of notes; shares a commit with whatever else is done at that time. */
  public void relayed(List<Store.Note> notes) {
    ledger.execute(new Command.Relayed(ranges(notes)), null);
  }

  /** Notes that another writer is about to commit stand between others: they must stay. */
  private static List<Store.Range> ranges(List<Store.Note> notes) {
    List<Store.Range> ranges = new ArrayList<>();
    for (Store.Note note : notes) {
      long seq = note.seq();
      if (!ranges.isEmpty() && ranges.getLast().last() == seq - 1) {
        ranges.set(ranges.size() - 1, new Store.Range(ranges.getLast().first(), seq));
      } else {
        ranges.add(new Store.Range(seq, seq));
      }
    }
    return ranges;
  }

  /** The claimable jobs of a queue that need nothing special, in the order of claims. */
  public List<UUID> claimableByAll(String queue, int limit) {
    return store.claimableByAll(queue, limit);
  }

  /** How long an ended job without a TTL of its own is kept. */
  public long retentionMs() {
    return retentionMs;
  }

  /**
   * Makes this control plane the one that shows jobs, or sees that it still is. Only while it is
   * may it show any: others count on that, see {@link #isNew}.
   */
  public void lead() {
    if (!leads()) {
      String lead = UUID.randomUUID().toString();
      try {
        store.lead(lead);
      } catch (StoreConflictException e) {
        throw new StoreUnavailableException("the lead cannot be taken now", e);
      }
      unseen.begin(lead);
    }
  }

  /** Whether this control plane is the one that shows jobs. */
  public boolean leads() {
    return lasts(currentLead());
  }

  /** The lead under which this control plane shows jobs; null if it does not. */
  public @Nullable String currentLead() {
    return unseen.lead();
  }

  /**
   * Whether this lead, and not a later one, is still this control plane's. To be asked after jobs
   * were read under it and before they are shown: what was read is then still right to be shown.
   */
  public boolean lasts(@Nullable String lead) {
    return lead != null && lead.equals(unseen.lead()) && (!store.isShared() || store.leads(lead));
  }

  /** Shows no more jobs until {@link #lead} is called; nobody has to wait for that any longer. */
  public void follow() {
    if (store.isShared()) {
      unseen.end();
    }
  }

  /** A job that no mirror has seen, and all of its events. */
  public record Fresh(Store.Mirrored job, List<Event> events) {}

  /**
   * Begins to look at these jobs, before anything is read of them that is to be shown; gives those
   * that need not be read from the store, unless another control plane has noted a change of them:
   * these are as this one left them.
   */
  public Map<UUID, Fresh> look(Collection<UUID> jobIds) {
    return unseen.look(jobIds);
  }

  /** Whether this job cannot be in the mirror yet; asked after the commit of a change of it. */
  public boolean isNew(UUID jobId) {
    return unseen.isNew(jobId);
  }

  /** These jobs as they are; those that do not exist are left out. */
  public List<Store.Mirrored> jobs(Collection<UUID> jobIds) {
    return store.mirrored(jobIds);
  }

  /** The jobs behind {@code after}, or the first ones, in the order of their ids. */
  public List<UUID> jobsAfter(@Nullable UUID after, int limit) {
    return store.jobsAfter(after, limit);
  }

  /** These jobs without what they are about; those that do not exist are left out. */
  public Map<UUID, Job> states(Collection<UUID> jobIds) {
    return store.jobs(jobIds);
  }

  /** How many jobs there are by queue and state, as the store has it. */
  public Map<Store.TallyKey, Long> tally() {
    return store.tally();
  }

  /** Jobs, newest first, from before {@code before} on if it is given. */
  public Store.Page<Store.JobView, UUID> list(
      Store.JobFilter filter, @Nullable UUID before, int limit) {
    return store.list(filter, before, limit);
  }

  /** See {@link Store#eventsAfter}. */
  public List<Event> events(Map<UUID, Long> after, int limit) {
    return store.eventsAfter(after, limit);
  }

  public Optional<Worker> worker(String workerId) {
    return store.worker(workerId);
  }

  /** Workers after {@code afterId}, in the order of their ids. */
  public List<Store.WorkerView> workers(String afterId, int limit) {
    return store.workers(afterId, limit);
  }

  /** The queues that are paused, as the store has it. */
  public Set<String> pausedQueues() {
    return store.shut().queues().keySet();
  }

  /** The store's clock. */
  public long now() {
    return store.now();
  }
}
