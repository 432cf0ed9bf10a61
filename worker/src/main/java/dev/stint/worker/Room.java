package dev.stint.worker;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether there is room on disk for another job: for what it prints, and for its result. */
final class Room {
  private static final Logger log = LoggerFactory.getLogger(Room.class);

  private final Workshop shop;
  private final Session session;

  Room(Workshop shop, Session session) {
    this.shop = shop;
    this.session = session;
  }

  /**
   * Opens the state file, and ends what a killed worker left running: it would run beside its own
   * next attempt.
   *
   * @return whether that has now been done for the first time
   */
  boolean open() throws InterruptedException {
    if (!shop.state().open()) {
      return false;
    }
    for (Mark mark : shop.state().running()) {
      int found = new ProcessTree(mark, null).end(shop.settings().times().killGrace());
      log.info("ended {} processes left of job {}", found, mark);
      shop.state().ended(mark, null);
    }
    return true;
  }

  /** Looks, and begins anew once a state file that could not be opened can. */
  synchronized boolean isThere() throws AwayException, RefusedException, InterruptedException {
    if (open()) {
      session.begin();
    }
    return shop.files().isWritable() && shop.state().isSaved();
  }
}
