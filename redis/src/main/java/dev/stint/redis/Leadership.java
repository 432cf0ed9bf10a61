package dev.stint.redis;

import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which of several control planes relays: whoever is first, as long as it goes on saying so. That
 * two do is possible and does no harm; it only saves work that they do not.
 *
 * <p>It is also known by what the leader wrote last whether Redis still has what it was given: a
 * Redis that came back empty, or as it was some time ago, does not have that.
 */
final class Leadership {
  private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);
  static final Duration LEASE = Duration.ofSeconds(5);
  private static final Script LEAD = Script.of("lead");
  private static final Script RESIGN = Script.of("resign");

  private final RedisLink link;
  private final String node;
  private final String storeId;
  private volatile boolean isForeign;
  private volatile boolean isLeader;
  private long rounds;

  /** What there is to know after having asked. */
  enum Standing {
    /** Another one relays, or Redis is another database's. */
    FOLLOWS,
    /** It is this one from now on, or Redis has lost what this one gave it. */
    BEGINS,
    LEADS
  }

  /**
   * Not leading yet.
   *
   * @param storeId which database this control plane has
   */
  Leadership(RedisLink link, String node, String storeId) {
    this.link = link;
    this.node = node;
    this.storeId = storeId;
  }

  /** Asks for, or renews, the lead. */
  Standing seek() {
    List<?> answer = LEAD.list(link.sync(), node, Long.toString(LEASE.toMillis()), storeId);
    boolean wasForeign = isForeign;
    isForeign = answer.getFirst().equals("foreign");
    if (isForeign && !wasForeign) {
      LOG.warn("{}", new ForeignRedisException().getMessage());
    }
    boolean wasLeader = isLeader;
    isLeader = answer.getFirst().equals("yes");
    if (!isLeader) {
      return Standing.FOLLOWS;
    }
    return wasLeader && answer.getLast().equals(mark()) ? Standing.LEADS : Standing.BEGINS;
  }

  /** Whether Redis turned out to be another database's. */
  boolean isForeign() {
    return isForeign;
  }

  boolean isLeader() {
    return isLeader;
  }

  /** Leaves a new mark; false if the one before is not there any more. */
  boolean leaveMark() {
    String before = mark();
    rounds++;
    return before.equals(link.sync().setGet(Keys.RELAYED, mark()));
  }

  private String mark() {
    return node + " " + rounds;
  }

  /** Lets another one begin at once. */
  void resign() {
    if (isLeader) {
      isLeader = false;
      try {
        String ignored = RESIGN.text(link.sync(), node);
      } catch (RedisException e) {
        // Then it runs out by itself.
      }
    }
  }
}
