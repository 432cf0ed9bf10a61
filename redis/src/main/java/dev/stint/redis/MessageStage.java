package dev.stint.redis;

import dev.stint.engine.Job;
import dev.stint.engine.Outbox;
import dev.stint.engine.Store;
import io.lettuce.core.KeyValue;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.StreamMessage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Every message in the streams of the queues, to find those that are for no job. */
final class MessageStage implements Stage<MessageStage.Message> {
  private static final Script STRAY = Script.of("stray");

  /** They have what their jobs are about in them. */
  private static final int PAGE = 100;

  private final Outbox outbox;
  private final RedisLink link;

  /** A message; {@code jobId} is what it says. */
  record Message(String queue, String id, String jobId) {}

  MessageStage(Outbox outbox, RedisLink link) {
    this.outbox = outbox;
    this.link = link;
  }

  /** A place is the last message that was looked at, and its queue. */
  @Override
  public Page<Message> page(@Nullable String place) {
    int space = place == null ? -1 : place.indexOf(' ');
    String queue = place == null ? nextQueue("") : place.substring(space + 1);
    String after = place == null ? "-" : place.substring(0, space);
    if (queue == null) {
      return new Page<>(List.of(), null);
    }
    List<StreamMessage<String, String>> page =
        isStream(queue) ? link.sync().xrange(queue, behind(after), Limit.from(PAGE)) : List.of();
    List<Message> messages = new ArrayList<>();
    for (StreamMessage<String, String> message : page) {
      String jobId = Objects.requireNonNullElse(message.getBody().get("job_id"), "");
      messages.add(new Message(queue, message.getId(), jobId));
    }
    if (messages.size() == PAGE) {
      return new Page<>(messages, messages.getLast().id() + " " + queue);
    }
    String next = nextQueue(queue);
    return new Page<>(messages, next == null ? null : "- " + next);
  }

  private static Range<String> behind(String after) {
    return after.equals("-")
        ? Range.unbounded()
        : Range.from(Range.Boundary.excluding(after), Range.Boundary.unbounded());
  }

  /** Whether there is a stream to look at; that a key is of another type the jobs tell. */
  private boolean isStream(String queue) {
    String kept = link.sync().type(Keys.messages(queue));
    return link.sync().type(queue).equals("stream") && (kept.equals("hash") || kept.equals("none"));
  }

  /** The queue behind another, of all that have jobs. */
  private @Nullable String nextQueue(String queue) {
    TreeSet<String> queues = new TreeSet<>();
    outbox.tally().keySet().stream()
        .map(Store.TallyKey::queue)
        .filter(name -> !Keys.isReserved(name))
        .forEach(queues::add);
    return queues.higher(queue);
  }

  @Override
  public Map<Message, List<Difference>> look(Collection<Message> messages) {
    Set<UUID> ids = new HashSet<>();
    for (Message message : messages) {
      UUID id = KeyStage.uuid(message.jobId());
      if (id != null) {
        ids.add(id);
      }
    }
    Map<UUID, Job> jobs = ids.isEmpty() ? Map.of() : outbox.states(ids);
    Set<String> known = known(messages);
    Map<Message, List<Difference>> wrong = new LinkedHashMap<>();
    for (Message message : messages) {
      boolean isRight = isOf(jobs, message) && known.contains(entry(message));
      if (!isRight && link.hasMessage(message.queue(), message.id())) {
        String what = "has a message for no job: " + message.id();
        wrong.put(message, List.of(new Difference(message.queue(), what)));
      }
    }
    return wrong;
  }

  private static boolean isOf(Map<UUID, Job> jobs, Message message) {
    UUID id = KeyStage.uuid(message.jobId());
    return id != null && jobs.containsKey(id);
  }

  /** The messages that the jobs of these have, each as {@link #entry}. */
  private Set<String> known(Collection<Message> messages) {
    Map<String, Set<String>> byQueue = new HashMap<>();
    for (Message message : messages) {
      byQueue.computeIfAbsent(message.queue(), _ -> new HashSet<>()).add(message.jobId());
    }
    Set<String> known = new HashSet<>();
    byQueue.forEach((queue, jobIds) -> {
      String[] fields = jobIds.toArray(String[]::new);
      for (KeyValue<String, String> kept : link.sync().hmget(Keys.messages(queue), fields)) {
        String enqueueAndId = kept.getValueOrElse("");
        String id = enqueueAndId.substring(enqueueAndId.indexOf(' ') + 1);
        known.add(entry(new Message(queue, id, kept.getKey())));
      }
    });
    return known;
  }

  private static String entry(Message message) {
    return message.id() + " " + message.jobId() + " " + message.queue();
  }

  @Override
  public void mend(Map<Message, List<Difference>> wrong) {
    for (Message message : wrong.keySet()) {
      UUID id = KeyStage.uuid(message.jobId());
      boolean isGone = id == null || !outbox.states(List.of(id)).containsKey(id);
      String ignored =
          STRAY.text(
              link.sync(), message.queue(), message.id(), message.jobId(), isGone ? "gone" : "");
    }
  }
}
