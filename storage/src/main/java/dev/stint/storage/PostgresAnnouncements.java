package dev.stint.storage;

import dev.stint.engine.Needs;
import dev.stint.engine.Store.Ready;
import dev.stint.engine.StoreUnavailableException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells other control planes on the same schema what became claimable, by {@code NOTIFY}, and hears
 * what they tell. It is a hint and may be lost: who waits also looks from time to time. So a
 * connection that breaks is opened again, and what could not be sent is forgotten.
 */
final class PostgresAnnouncements implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresAnnouncements.class);
  private static final String NOTIFY = "SELECT pg_notify(?, ?)";
  private static final int MAX_WAITING = 10_000;
  private static final int POLL_MS = 10_000;
  private static final long FIRST_BACKOFF_MS = 100;
  private static final long LONGEST_BACKOFF_MS = 5_000;

  /** What is told of: so many jobs with these needs in this queue. */
  private record Kind(String queue, Needs needs) {}

  private final PostgresConnections connections;
  private final PostgresStore store;
  private final String channel;
  private final String node = UUID.randomUUID().toString();
  private final List<Consumer<List<Ready>>> listeners = new CopyOnWriteArrayList<>();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Map<Kind, Integer> waiting = new LinkedHashMap<>();
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
    lock.lock();
    try {
      if (closed || ready.isEmpty()) {
        return;
      }
      for (Ready one : ready) {
        if (waiting.size() < MAX_WAITING) {
          waiting.merge(new Kind(one.queue(), one.needs()), one.count(), Integer::sum);
        }
      }
      if (sender == null) {
        sender = Thread.ofVirtual().name("stint-announce").start(this::send);
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void listen(Consumer<List<Ready>> listener) {
    listeners.add(listener);
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
    for (Map<Kind, Integer> batch = takeWaiting(); !batch.isEmpty(); batch = takeWaiting()) {
      try {
        if (connection == null) {
          connection = connections.plain();
        }
        notifyOthers(connection, batch);
      } catch (SQLException | StoreUnavailableException e) {
        LOG.debug("could not announce {} kinds of jobs", batch.size(), e);
        if (connection != null) {
          close(connection);
          connection = null;
        }
      }
    }
    if (connection != null) {
      close(connection);
    }
  }

  /** Waits until there is something to send; empty when closed. */
  private Map<Kind, Integer> takeWaiting() {
    lock.lock();
    try {
      while (waiting.isEmpty() && !closed) {
        changed.awaitUninterruptibly();
      }
      Map<Kind, Integer> batch = closed ? Map.of() : waiting;
      waiting = new LinkedHashMap<>();
      return batch;
    } finally {
      lock.unlock();
    }
  }

  private void notifyOthers(Connection connection, Map<Kind, Integer> batch) throws SQLException {
    List<Announcement.Item> items = new ArrayList<>();
    batch.forEach((kind, count) ->
        items.add(new Announcement.Item(kind.queue, store.idOf(kind.needs), count)));
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
      } catch (SQLException e) {
        if (!isClosed()) {
          LOG.debug("lost the connection for announcements; opening another", e);
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
      List<Ready> ready =
          store.read(session -> {
            List<Ready> all = new ArrayList<>();
            for (Announcement.Item item : announcement.items()) {
              Needs needs = store.catalog().byId(item.needsId(), session);
              all.add(new Ready(item.queue(), needs, item.count()));
            }
            return all;
          });
      listeners.forEach(listener -> listener.accept(ready));
    } catch (RuntimeException e) {
      LOG.warn("could not use an announcement of another control plane", e);
    }
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

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      // It is given up in any case.
    }
  }
}
