package dev.stint.storage;

import dev.stint.engine.Event;
import dev.stint.engine.Mishap;
import dev.stint.engine.Needs;
import dev.stint.engine.Store.Ready;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Tells other control planes on the same schema what became claimable, by {@code NOTIFY}, and hears
 * what they tell. It is a hint and may be lost: who waits also looks from time to time. So a
 * connection that breaks is opened again, and what could not be sent is forgotten.
 */
final class PostgresAnnouncements implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresAnnouncements.class);
  private static final String NOTIFY = "SELECT pg_notify(?, ?)";
  private static final int POLL_MS = 10_000;

  /** A notice costs the database and all who listen; under load this many a second are enough. */
  private static final Duration APART = Duration.ofMillis(10);

  private static final long FIRST_BACKOFF_MS = 100;
  private static final long LONGEST_BACKOFF_MS = 5_000;
  private static final long INTEREST_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final PostgresConnections connections;
  private final PostgresStore store;
  private final String channel;
  private final String node = UUID.randomUUID().toString();
  private final List<Consumer<List<Ready>>> listeners = new CopyOnWriteArrayList<>();
  private final List<Consumer<Collection<UUID>>> newsListeners = new CopyOnWriteArrayList<>();

  /** When another control plane last said that it wants to know of new events. */
  private volatile long interestNanos = System.nanoTime() - INTEREST_NANOS;

  private final AnnouncementQueue queue = new AnnouncementQueue();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean closed;
  private @Nullable Thread sender;
  private @Nullable Thread receiver;
  private @Nullable Connection listening;

  PostgresAnnouncements(PostgresConnections connections, PostgresStore store) {
    this.connections = connections;
    this.store = store;
    channel = "stint_" + Integer.toHexString(connections.advisoryKey("ready"));
  }

  /** Puts it with what waits to be sent, and returns at once. */
  void announce(List<Ready> ready) {
    if (!ready.isEmpty()) {
      startSending();
      queue.addReady(ready);
    }
  }

  /** The same for jobs that have new events, but only while another control plane cares. */
  void announceNews(List<Event> events) {
    if (!events.isEmpty() && System.nanoTime() - interestNanos < INTEREST_NANOS) {
      startSending();
      queue.addNews(events);
    }
  }

  void announceInterest() {
    startSending();
    queue.addInterest();
  }

  private void startSending() {
    lock.lock();
    try {
      if (sender == null && !closed) {
        sender = Thread.ofVirtual().name("stint-announce").start(this::send);
      }
    } finally {
      lock.unlock();
    }
  }

  void listen(Consumer<List<Ready>> listener) {
    listeners.add(listener);
    startReceiving();
  }

  void listenForNews(Consumer<Collection<UUID>> listener) {
    newsListeners.add(listener);
    startReceiving();
  }

  private void startReceiving() {
    lock.lock();
    try {
      if (receiver == null && !closed) {
        receiver = Thread.ofVirtual().name("stint-listen").start(this::receive);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    queue.close();
    Connection open;
    lock.lock();
    try {
      closed = true;
      open = listening;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (open != null) {
      close(open);
    }
  }

  private void send() {
    Connection connection = null;
    while (true) {
      try {
        AnnouncementQueue.Batch batch = queue.take();
        if (batch.isEmpty()) {
          break;
        }
        if (connection == null) {
          connection = connections.plain();
        }
        notifyOthers(connection, batch);
        Thread.sleep(APART);
      } catch (InterruptedException e) {
        break;
      } catch (SQLException | RuntimeException | Error e) {
        if (connection != null) {
          close(connection);
          connection = null;
        }
        complain("could not announce something", e);
      }
    }
    if (connection != null) {
      close(connection);
    }
  }

  private void notifyOthers(Connection connection, AnnouncementQueue.Batch batch)
      throws SQLException {
    List<Announcement.Item> items = new ArrayList<>();
    batch
        .claimable()
        .forEach((kind, count) ->
            items.add(new Announcement.Claimable(kind.queue(), store.idOf(kind.needs()), count)));
    batch.news().forEach(jobId -> items.add(new Announcement.News(jobId)));
    if (batch.isInterested()) {
      items.add(new Announcement.Interest());
    }
    try (PreparedStatement statement = connection.prepareStatement(NOTIFY)) {
      for (String text : Announcement.write(node, items)) {
        statement.setString(1, channel);
        statement.setString(2, text);
        statement.execute();
      }
    }
  }

  private void receive() {
    long backoffMs = FIRST_BACKOFF_MS;
    while (!isClosed()) {
      try (Connection connection = connections.plain()) {
        if (!startListening(connection)) {
          return;
        }
        backoffMs = FIRST_BACKOFF_MS;
        receiveFrom(connection);
      } catch (SQLException | RuntimeException | Error e) {
        if (!isClosed()) {
          complain("lost the connection for announcements; opening another", e);
          pause(backoffMs);
          backoffMs = Math.min(2 * backoffMs, LONGEST_BACKOFF_MS);
        }
      }
    }
  }

  private boolean startListening(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("LISTEN " + statement.enquoteIdentifier(channel, true));
    }
    lock.lock();
    try {
      listening = connection;
      changed.signalAll();
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  private void receiveFrom(Connection connection) throws SQLException {
    PGConnection postgres = connection.unwrap(PGConnection.class);
    while (!isClosed()) {
      PGNotification[] heard = postgres.getNotifications(POLL_MS);
      if (heard == null || heard.length == 0) {
        if (!connection.isValid(POLL_MS / 1_000)) {
          throw new SQLException("the server has gone away", "08006");
        }
        continue;
      }
      for (PGNotification one : heard) {
        hear(one.getParameter());
      }
    }
  }

  private void hear(String text) {
    try {
      Announcement announcement = Announcement.read(text);
      if (announcement.node().equals(node)) {
        return;
      }
      List<Announcement.Claimable> claimable = new ArrayList<>();
      Set<UUID> news = new LinkedHashSet<>();
      for (Announcement.Item item : announcement.items()) {
        switch (item) {
          case Announcement.Claimable one -> claimable.add(one);
          case Announcement.News one -> news.add(one.jobId());
          case Announcement.Interest _ -> interestNanos = System.nanoTime();
        }
      }
      if (!news.isEmpty()) {
        newsListeners.forEach(listener -> listener.accept(news));
      }
      if (!claimable.isEmpty()) {
        List<Ready> ready = ready(claimable);
        listeners.forEach(listener -> listener.accept(ready));
      }
    } catch (RuntimeException | Error e) {
      Mishap.logAt(Level.WARN, LOG, "could not use an announcement of another control plane", e);
    }
  }

  private List<Ready> ready(List<Announcement.Claimable> claimable) {
    return store.read(session -> {
      List<Ready> all = new ArrayList<>();
      for (Announcement.Claimable one : claimable) {
        Needs needs = store.catalog().byId(one.needsId(), session);
        all.add(new Ready(one.queue(), needs, one.count()));
      }
      return all;
    });
  }

  /** Waits until this listens, so that nothing announced from then on is missed. */
  boolean awaitListening() {
    lock.lock();
    try {
      while (listening == null && !closed) {
        changed.awaitUninterruptibly();
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  private void pause(long millis) {
    lock.lock();
    try {
      listening = null;
      long left = millis * 1_000_000;
      while (left > 0 && !closed) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** A lost connection is nothing unusual; anything else is. */
  private static void complain(String what, Throwable e) {
    Mishap.logAt(e instanceof SQLException ? Level.DEBUG : Level.WARN, LOG, what, e);
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException | RuntimeException | Error e) {
      // It is given up in any case.
    }
  }
}
