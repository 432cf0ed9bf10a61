package dev.stint.redis;

import dev.stint.contracts.Access;
import dev.stint.contracts.Call;
import dev.stint.contracts.Contract;
import dev.stint.contracts.Fields;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Refusal;
import dev.stint.contracts.Reply;
import dev.stint.contracts.Route;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Those who run a fleet ask whether Redis is as it should be, and have it put right. */
public final class RedisContract implements Contract {
  private static final Access ADMINS = Access.to(Access.Role.ADMIN);
  private static final int MAX_SHOWN = 1_000;

  private final @Nullable Redis redis;

  /**
   * The contract.
   *
   * @param redis null if this server has none
   */
  public RedisContract(@Nullable Redis redis) {
    this.redis = redis;
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route("GET", "/v1/redis/check", ADMINS, call -> part(call.queryString("next"), false)),
        new Route("POST", "/v1/redis/repair", ADMINS, this::repair));
  }

  private Reply repair(Call call) {
    return part(Fields.ofOptional(call.body()).optionalString("next"), true);
  }

  private Reply part(@Nullable String place, boolean repair) {
    if (redis == null) {
      throw Refusal.conflict("no_redis", "this server has no Redis; start it with --redis");
    }
    try {
      Comparison comparison = redis.comparison();
      JsonWriter body = json(comparison.compare(place, repair));
      return Reply.json(200, body.add("all_jobs", comparison.allJobs()));
    } catch (IllegalArgumentException e) {
      throw Refusal.invalid("next", "must be what the part before said");
    } catch (ForeignRedisException e) {
      throw Refusal.conflict("another_database", String.valueOf(e.getMessage()));
    } catch (RedisCommandExecutionException e) {
      throw Refusal.away("redis_unavailable", "Redis refuses it: " + e.getMessage(), 2);
    } catch (RedisException e) {
      throw Refusal.away("redis_unavailable", "Redis does not answer; try again", 2);
    }
  }

  private static JsonWriter json(Comparison.Part part) {
    List<JsonWriter> shown =
        part.differences().stream()
            .limit(MAX_SHOWN)
            .map(one -> new JsonWriter().add("key", one.key()).add("what", one.what()))
            .toList();
    return new JsonWriter()
        .add("looked_at", part.looked())
        .add("jobs", part.jobs())
        .add("found", part.differences().size())
        .add("left", part.left())
        .addObjects("differences", shown)
        .add("next", part.next());
  }
}
