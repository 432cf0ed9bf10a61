package dev.stint.server;

import dev.stint.contracts.Access;
import dev.stint.contracts.Call;
import dev.stint.contracts.Contract;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Refusal;
import dev.stint.contracts.Reply;
import dev.stint.contracts.Route;
import dev.stint.engine.Engine;
import dev.stint.redis.Redis;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What those who run the server ask of it. */
final class Operations implements Contract {
  private static final Logger LOG = LoggerFactory.getLogger(Operations.class);

  private final Engine engine;
  private final Metrics metrics;
  private final @Nullable Redis redis;

  /**
   * Operations of one server.
   *
   * @param redis null if it has none
   */
  Operations(Engine engine, Metrics metrics, @Nullable Redis redis) {
    this.redis = redis;
    this.engine = engine;
    this.metrics = metrics;
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route("GET", "/healthz", Access.ANYONE, _ -> ok()),
        new Route("GET", "/readyz", Access.ANYONE, this::ready),
        new Route("GET", "/metrics", Access.ANYONE, this::scrape));
  }

  private static Reply ok() {
    return Reply.json(200, new JsonWriter().add("status", "ok"));
  }

  private Reply ready(Call call) {
    try {
      engine.now();
      return ok();
    } catch (RuntimeException e) {
      LOG.warn("not ready: {}", e.getMessage());
      LOG.debug("the store does not answer", e);
      throw Refusal.away("not_ready", "the store does not answer", 5);
    }
  }

  private Reply scrape(Call call) {
    byte[] text = metrics.scrape(engine, redis).getBytes(StandardCharsets.UTF_8);
    return new Reply(200, Map.of("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), text);
  }
}
