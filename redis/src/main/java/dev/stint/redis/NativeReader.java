package dev.stint.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads what the streams' groups gave out and what workers wrote, many at a time. */
final class NativeReader {
  /** How long a result or an error may be; what comes over HTTP may not be longer either. */
  static final int MAX_JSON_BYTES = 1_000_000;

  private static final Script WATCH = Script.of("watch");
  private static final Script PEEK = Script.of("peek");
  private static final Script DROP = Script.of("drop");
  private static final Script RESTORE = Script.of("restore");
  private static final int MAX_NEW = 1_000;
  private static final int MAX_SAID = 500;
  private static final int JOBS_AT_ONCE = 200;

  private final RedisLink link;

  NativeReader(RedisLink link) {
    this.link = link;
  }

  /** Who has a message and has not acknowledged it, and for how long since the last sign. */
  record Pending(String consumer, long idleMs) {}

  /**
   * What a queue's group has given out.
   *
   * @param told up to where {@code fresh} goes
   * @param last up to where messages were given out, or null if there is no group
   * @param pending by the ids of messages
   */
  record StreamView(
      String queue,
      @Nullable StreamId last,
      StreamId told,
      List<NativeMessage> fresh,
      Map<String, Pending> pending) {}

  /** Looks at these queues, each from behind the id that is given for it. */
  List<StreamView> watch(Map<String, StreamId> known) {
    if (known.isEmpty()) {
      return List.of();
    }
    List<String> arguments = new ArrayList<>();
    arguments.add(Integer.toString(MAX_NEW));
    known.forEach((queue, id) -> arguments.addAll(List.of(queue, id.toString())));
    List<StreamView> views = new ArrayList<>();
    List<?> answers = WATCH.list(link.sync(), arguments.toArray(String[]::new));
    int next = 0;
    for (String queue : known.keySet()) {
      views.add(view(queue, (List<?>) answers.get(next++)));
    }
    return views;
  }

  private static StreamView view(String queue, List<?> answer) {
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
      long idleMs = Long.parseLong(text(held.get(i + 2)));
      pending.put(
          text(held.get(i)), new Pending(NativeMessage.worker(text(held.get(i + 1))), idleMs));
    }
    return new StreamView(
        queue,
        last.isEmpty() ? null : StreamId.parse(last),
        StreamId.parse(text(answer.get(1))),
        messages,
        pending);
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
    for (int from = 0; from < ids.size(); from += JOBS_AT_ONCE) {
      List<UUID> page = ids.subList(from, Math.min(ids.size(), from + JOBS_AT_ONCE));
      List<String> arguments = new ArrayList<>();
      arguments.add(Integer.toString(MAX_SAID));
      arguments.add(Integer.toString(MAX_JSON_BYTES));
      page.forEach(id -> arguments.addAll(List.of(id.toString(), String.valueOf(known.get(id)))));
      List<?> answers = PEEK.list(link.sync(), arguments.toArray(String[]::new));
      for (int i = 0; i < page.size(); i++) {
        sights.put(page.get(i), sight((List<?>) answers.get(i)));
      }
    }
    return sights;
  }

  private static NativeSight sight(List<?> answer) {
    List<?> entries = (List<?>) answer.get(4);
    List<NativeSight.Said> said = new ArrayList<>();
    for (int i = 0; i < entries.size(); i += 4) {
      said.add(
          new NativeSight.Said(
              StreamId.parse(text(entries.get(i))),
              text(entries.get(i + 1)),
              text(entries.get(i + 2)),
              text(entries.get(i + 3))));
    }
    return new NativeSight(
        text(answer.get(0)), text(answer.get(1)), text(answer.get(2)), text(answer.get(3)), said);
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
