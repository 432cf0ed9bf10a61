package dev.stint.worker;

import dev.stint.worker.Run.Ending;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A worker from its start to its end. */
public final class Daemon {
  private static final Logger log = LoggerFactory.getLogger(Daemon.class);

  /** For killed processes to vanish and for a last call, after all other time is up. */
  private static final Duration LAST_CALLS = Duration.ofSeconds(15);

  private final WorkerSettings settings;
  private final Workshop shop;
  private final Session session;
  private final Room room;
  private final CountDownLatch ended = new CountDownLatch(1);

  public Daemon(WorkerSettings settings) {
    this.settings = settings;
    this.shop = Workshop.of(settings);
    this.session = new Session(shop);
    this.room = new Room(shop, session);
  }

  /**
   * Works until {@link #drain}.
   *
   * @return whether the control plane took this worker; if not, the log tells why
   * @throws StateInUseException if another worker has the state file
   */
  public boolean run() throws InterruptedException {
    try (State _ = shop.state()) {
      room.open();
      if (!begin()) {
        return false;
      }
      work();
      return true;
    } finally {
      ended.countDown();
    }
  }

  private boolean begin() throws InterruptedException {
    for (int failures = 0; !shop.patience().isStopping(); failures++) {
      try {
        session.begin();
        return true;
      } catch (AwayException e) {
        shop.patience().backOff(failures);
      } catch (RefusedException e) {
        log.error("{}", e.getMessage());
        return false;
      }
    }
    return true;
  }

  private void work() throws InterruptedException {
    Heartbeat heartbeat = new Heartbeat(shop, session, metrics());
    Thread beats =
        Thread.ofPlatform()
            .name("heartbeat")
            .daemon()
            .start(() -> heartbeat.beat(settings.times().heartbeat()));
    Turns turns = new Turns();
    List<Thread> slots =
        Stream.generate(() -> new Slot(shop, session, room, turns))
            .limit(settings.slots())
            .map(slot -> Thread.startVirtualThread(slot::work))
            .toList();
    shop.patience().awaitStop();
    log.info("takes no more jobs; {} are running", shop.runs().size());
    join(slots, settings.times().drain());
    shop.runs().forEach(run -> run.stop(new Ending.HandedBack()));
    join(slots, settings.times().killGrace().plus(LAST_CALLS));
    deliverRest();
    beats.interrupt();
  }

  private @Nullable Metrics metrics() {
    String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
    return settings.isHeartbeatMetrics() ? new Metrics(settings.logDir(), new Gpus(path)) : null;
  }

  private static void join(List<Thread> threads, Duration longest) throws InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    for (Thread thread : threads) {
      thread.join(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
    }
  }

  private void deliverRest() {
    try {
      shop.reporter().sendAll(report -> true);
    } catch (AwayException e) {
      log.debug("results stay in the outbox: {}", e.getMessage());
    }
    int left = shop.state().reports().size();
    if (left > 0) {
      log.warn("{} results stay in {} for the next start", left, settings.stateFile());
    }
  }

  /** Takes no more jobs, lets those that run end in their time, hands the rest back, and ends. */
  public void drain() {
    shop.patience().stop();
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends all processes of all jobs this moment. */
  public void killAll() {
    List<Run> runs = List.copyOf(shop.runs());
    runs.forEach(run -> run.stop(new Ending.HandedBack()));
    try {
      new ProcessTree(runs.stream().map(Run::attempt).toList()).end(Duration.ZERO);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
