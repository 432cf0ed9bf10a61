package dev.stint.testkit;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands until it is told to go on. */
public final class SettableClock extends Clock {
  private final AtomicLong millis;
  private final ZoneId zone;

  /** Stands at {@code millis}. */
  public SettableClock(long millis) {
    this(new AtomicLong(millis), ZoneOffset.UTC);
  }

  private SettableClock(AtomicLong millis, ZoneId zone) {
    this.millis = millis;
    this.zone = zone;
  }

  public void set(long newMillis) {
    millis.set(newMillis);
  }

  public void advance(Duration duration) {
    millis.addAndGet(duration.toMillis());
  }

  @Override
  public long millis() {
    return millis.get();
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis.get());
  }

  @Override
  public ZoneId getZone() {
    return zone;
  }

  /** The same clock seen in another zone: it goes on together with this one. */
  @Override
  public Clock withZone(ZoneId other) {
    return new SettableClock(millis, other);
  }
}
