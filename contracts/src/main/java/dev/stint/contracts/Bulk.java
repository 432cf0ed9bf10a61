package dev.stint.contracts;

import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.Outcome;
import dev.stint.engine.OverloadedException;
import dev.stint.engine.StoreUnavailableException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Many calls in one. Each has the status and body that it would have had alone. */
public final class Bulk {
  private static final Logger log = LoggerFactory.getLogger(Bulk.class);

  private final List<Supplier<Reply>> replies = new ArrayList<>();
  private final String requestId;

  private Bulk(String requestId) {
    this.requestId = requestId;
  }

  /**
   * Reads all and sends what could be read, without waiting for any of it: what is sent together
   * shares commits as far as it fits.
   *
   * @param read one of the items as a command; may throw a {@link Refusal} of that item
   * @param tell what came of an item
   */
  public static <O extends Outcome> Bulk send(
      Engine engine,
      List<Fields> items,
      Function<Fields, ? extends Command<O>> read,
      BiFunction<Fields, O, Reply> tell,
      String requestId) {
    List<Command<O>> commands = new ArrayList<>(items.size());
    Map<Fields, RuntimeException> unreadable = new HashMap<>();
    for (Fields item : items) {
      try {
        commands.add(read.apply(item));
      } catch (RuntimeException e) {
        unreadable.put(item, e);
      }
    }
    Iterator<Supplier<O>> outcomes = engine.executeAll(commands, requestId).iterator();
    Bulk bulk = new Bulk(requestId);
    for (Fields item : items) {
      RuntimeException problem = unreadable.get(item);
      if (problem != null) {
        bulk.replies.add(() -> {
          throw problem;
        });
      } else {
        Supplier<O> outcome = outcomes.next();
        bulk.replies.add(() -> tell.apply(item, outcome.get()));
      }
    }
    return bulk;
  }

  /** What came of each, in the order of the items, as a JSON list. Waits until all is done. */
  public String results() {
    return replies.stream()
        .map(reply -> result(replyOrRefusal(reply)))
        .collect(Collectors.joining(",", "[", "]"));
  }

  private Reply replyOrRefusal(Supplier<Reply> reply) {
    try {
      return reply.get();
    } catch (Refusal refusal) {
      return refusal.reply();
    } catch (OverloadedException e) {
      return Refusal.overloaded().reply();
    } catch (StoreUnavailableException e) {
      return Refusal.storeAway().reply();
    } catch (RuntimeException e) {
      log.error("request {}: one of {} failed", requestId, replies.size(), e);
      return Refusal.unexpected(requestId).reply();
    }
  }

  private static String result(Reply reply) {
    JsonWriter result = new JsonWriter().add("status", reply.status());
    if (!reply.headers().isEmpty()) {
      JsonWriter headers = new JsonWriter();
      reply.headers().forEach(headers::add);
      result.addJson("headers", headers.toJson());
    }
    return result.addJson("body", new String(reply.body(), StandardCharsets.UTF_8)).toJson();
  }
}
