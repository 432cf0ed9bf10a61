package dev.stint.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads what the streams' groups gave out and what workers wrote, many at a time. */
final class NativeReader {
  /** How long a result or an error may be; what comes over HTTP may not be longer either. */
  static final int MAX_JSON_BYTES = 1_000_000;

  private static final int MAX_DATA_BYTES = 65_536;

  private static final Script WATCH = Script.of("watch");
  private static final Script PEEK = Script.of("peek");
  private static final Script DROP = Script.of("drop");
  private static final Script RESTORE = Script.of("restore");
  private static final int MAX_NEW = 1_000;
  private static final int MAX_SAID = 500;
  private static final int JOBS_AT_ONCE = 200;

  /** So much of what workers wrote is read at once; one job may have a little more. */
  private static final int ENOUGH_BYTES = 4_000_000;

  private final RedisLink link;

  NativeReader(RedisLink link) {
    this.link = link;
  }

  /**
   * Who has a message and has not acknowledged it.
   *
   * @param activeAtMs when it gave the last sign of life, by the clock of Redis
   */
  record Pending(String consumer, long activeAtMs) {}

  /**
   * How far a queue's stream is known.
   *
   * @param messages the last message that was told of
   * @param pending where to look on for messages that nobody has acknowledged
   */
  record Known(StreamId messages, StreamId pending) {
    static final Known NOTHING = new Known(StreamId.ZERO, StreamId.ZERO);
  }

  /**
   * What a queue's group has given out.
   *
   * @param before how far it was known
   * @param told up to where {@code fresh} goes
   * @param last up to where messages were given out, or null if there is no group
   * @param pending by the ids of messages: of the fresh ones, and of a part of all
   * @param upTo up to where that part goes, or null if it goes to the end
   */
  record StreamView(
      String queue,
      Known before,
      @Nullable StreamId last,
      StreamId told,
      List<NativeMessage> fresh,
      Map<String, Pending> pending,
      @Nullable StreamId upTo) {
    /** Whether it was seen if anybody has this message. */
    boolean tellsOf(StreamId message) {
      return last == null
          || isWithin(message, before.messages(), told)
          || isWithin(message, before.pending(), upTo);
    }

    private static boolean isWithin(StreamId id, StreamId after, @Nullable StreamId upTo) {
      return id.compareTo(after) > 0 && (upTo == null || id.compareTo(upTo) <= 0);
    }

    /** How far it is known now. */
    Known after() {
      boolean wentBack = told.compareTo(last == null ? StreamId.ZERO : last) > 0;
      return new Known(
          wentBack ? StreamId.ZERO : told, Objects.requireNonNullElse(upTo, StreamId.ZERO));
    }
  }

  /** Looks at these queues, each from where it is known. */
  List<StreamView> watch(Map<String, Known> known) {
    if (known.isEmpty()) {
      return List.of();
    }
    List<String> arguments = new ArrayList<>();
    arguments.add(Integer.toString(MAX_NEW));
    known.forEach((queue, place) ->
        arguments.addAll(List.of(queue, place.messages().toString(), place.pending().toString())));
    List<StreamView> views = new ArrayList<>();
    List<?> answers = WATCH.list(link.sync(), arguments.toArray(String[]::new));
    int next = 0;
    for (Map.Entry<String, Known> one : known.entrySet()) {
      views.add(view(one.getKey(), one.getValue(), (List<?>) answers.get(next++)));
    }
    return views;
  }

  private static StreamView view(String queue, Known before, List<?> answer) {
    String last = text(answer.get(0));
    List<?> fresh = (List<?>) answer.get(2);
    List<NativeMessage> messages = new ArrayList<>();
    for (int i = 0; i < fresh.size(); i += 3) {
      UUID jobId = uuid(text(fresh.get(i + 1)));
      if (jobId != null) {
        String enqueueId = text(fresh.get(i + 2));
        messages.add(new NativeMessage(queue, text(fresh.get(i)), jobId, enqueueId));
      }
    }
    List<?> held = (List<?>) answer.get(3);
    Map<String, Pending> pending = new HashMap<>();
    for (int i = 0; i < held.size(); i += 3) {
      long activeAtMs = Long.parseLong(text(held.get(i + 2)));
      pending.put(
          text(held.get(i)), new Pending(NativeMessage.worker(text(held.get(i + 1))), activeAtMs));
    }
    return new StreamView(
        queue,
        before,
        place(last),
        StreamId.parse(text(answer.get(1))),
        messages,
        pending,
        place(text(answer.get(4))));
  }

  private static @Nullable StreamId place(String text) {
    return text.isEmpty() ? null : StreamId.parse(text);
  }

  /** A stream may also have messages that are not ours. */
  private static @Nullable UUID uuid(String text) {
    try {
      UUID id = UUID.fromString(text);
      return id.toString().equals(text) ? id : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** What is written about these jobs; of their events those behind the id that is given. */
  Map<UUID, NativeSight> peek(Map<UUID, StreamId> known) {
    Map<UUID, NativeSight> sights = new HashMap<>();
    List<UUID> ids = List.copyOf(known.keySet());
    int from = 0;
    while (from < ids.size()) {
      List<UUID> page = ids.subList(from, Math.min(ids.size(), from + JOBS_AT_ONCE));
      List<String> arguments = new ArrayList<>();
      for (int limit : List.of(MAX_SAID, MAX_JSON_BYTES, MAX_DATA_BYTES, ENOUGH_BYTES)) {
        arguments.add(Integer.toString(limit));
      }
      page.forEach(id -> arguments.addAll(List.of(id.toString(), String.valueOf(known.get(id)))));
      for (Object answer : PEEK.list(link.sync(), arguments.toArray(String[]::new))) {
        sights.put(ids.get(from++), sight((List<?>) answer));
      }
    }
    return sights;
  }

  private static NativeSight sight(List<?> answer) {
    List<?> entries = (List<?>) answer.get(6);
    List<NativeSight.Said> said = new ArrayList<>();
    for (int i = 0; i < entries.size(); i += 5) {
      said.add(
          new NativeSight.Said(
              StreamId.parse(text(entries.get(i))),
              text(entries.get(i + 1)),
              text(entries.get(i + 2)),
              written(entries, i + 3)));
    }
    return new NativeSight(
        text(answer.get(0)),
        text(answer.get(1)),
        written(answer, 2),
        written(answer, 4),
        said,
        text(answer.get(7)).equals("more"));
  }

  /** A text, and behind it its length. */
  private static NativeSight.Text written(List<?> answer, int place) {
    return new NativeSight.Text(
        text(answer.get(place)), Long.parseLong(text(answer.get(place + 1))));
  }

  /** Takes messages out of their streams for good. */
  void drop(Collection<NativeMessage> messages) {
    if (!messages.isEmpty()) {
      List<String> arguments = new ArrayList<>();
      for (NativeMessage message : messages) {
        arguments.addAll(
            List.of(
                message.queue(), message.id(), message.jobId().toString(), message.enqueueId()));
      }
      DROP.text(link.sync(), arguments.toArray(String[]::new));
    }
  }

  /** Whether a message is still in its stream, acknowledged or not. */
  boolean isThere(NativeMessage message) {
    return link.hasMessage(message.queue(), message.id());
  }

  /** Takes an entry back that says of a job that it is over, and is not true. */
  void retract(UUID jobId, StreamId entry) {
    link.sync().xdel(Keys.events(jobId), entry.toString());
  }

  /** Lets a job's hash say again that it runs, if it still says what was seen. */
  void restore(UUID jobId, NativeSight seen) {
    RESTORE.text(link.sync(), Keys.job(jobId), seen.status(), seen.updatedTs());
  }

  private static String text(Object part) {
    return String.valueOf(part);
  }
}
