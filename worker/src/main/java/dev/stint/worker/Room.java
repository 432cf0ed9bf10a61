package dev.stint.worker;

import java.util.List;
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
    List<Mark> left = shop.state().running();
    if (!left.isEmpty()) {
      List<ProcessTree.Attempt> attempts =
          left.stream().map(mark -> new ProcessTree.Attempt(mark, null)).toList();
      int found = new ProcessTree(attempts).end(shop.settings().times().killGrace());
      log.info("ended {} processes left of jobs {}", found, left);
      shop.state().ended(left);
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
