package dev.stint.storage;

import dev.stint.engine.StoreUnavailableException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A few sessions, each used by one thread at a time, opened when first needed and again after they
 * broke.
 */
final class SessionPool implements AutoCloseable {
  private static final long WAIT_MS = 10_000;
  private static final long IDLE_MS = 1_000;

  interface Opener {
    Session open() throws SQLException;
  }

  /** A place for one session. */
  static final class Slot {
    private @Nullable Session session;
    private long usedAt;

    @Nullable Session openSession() {
      return session;
    }
  }

  private final Opener opener;
  private final int size;
  private final BlockingQueue<Slot> idle;
  private volatile boolean closed;
  private volatile long brokenAt = System.nanoTime();

  SessionPool(int size, Opener opener) {
    this.size = size;
    this.opener = opener;
    idle = new ArrayBlockingQueue<>(size);
    for (int i = 0; i < size; i++) {
      idle.add(new Slot());
    }
  }

  /** Opens all sessions now, so that nobody has to wait for one later. */
  void openAll() throws SQLException {
    for (Slot slot : idle) {
      session(slot);
    }
  }

  Slot take() {
    Slot slot = poll();
    if (slot == null || closed) {
      if (slot != null) {
        idle.add(slot);
      }
      String why = closed ? "the store is closed" : "all connections to the store are in use";
      throw new StoreUnavailableException(why, new SQLException(why));
    }
    return slot;
  }

  /** The slot's session, opened if it has none. */
  Session session(Slot slot) throws SQLException {
    Session session = slot.session;
    if (session == null) {
      session = opener.open();
      slot.session = session;
      slot.usedAt = System.nanoTime();
    }
    return session;
  }

  /**
   * Whether the other side may have gone away unnoticed: nobody has used the session for a while,
   * or another one has turned out to be broken since.
   */
  boolean isDoubtful(Slot slot) {
    return System.nanoTime() - slot.usedAt > TimeUnit.MILLISECONDS.toNanos(IDLE_MS)
        || slot.usedAt - brokenAt < 0;
  }

  /**
   * Gives the slot up for its next user.
   *
   * @param isProven whether its session did what was asked of it, and so is not doubtful
   */
  void give(Slot slot, boolean isProven) {
    if (isProven) {
      slot.usedAt = System.nanoTime();
    }
    idle.add(slot);
  }

  /** All sessions are doubtful from now on. */
  void suspect() {
    brokenAt = System.nanoTime();
  }

  /** Closes the slot's session; its next user gets a new one. */
  void discard(Slot slot) {
    suspect();
    Session session = slot.session;
    slot.session = null;
    if (session != null) {
      session.close();
    }
  }

  /** Closes all sessions, after waiting a while for those that are in use. */
  @Override
  public void close() {
    closed = true;
    List<Slot> taken = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      Slot slot = poll();
      if (slot != null) {
        discard(slot);
        taken.add(slot);
      }
    }
    idle.addAll(taken);
  }

  private @Nullable Slot poll() {
    try {
      return idle.poll(WAIT_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }
}
