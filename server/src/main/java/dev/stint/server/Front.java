package dev.stint.server;

import dev.stint.contracts.Access;
import dev.stint.contracts.Caller;
import dev.stint.contracts.LiveBody;
import dev.stint.contracts.Refusal;
import dev.stint.contracts.Reply;
import dev.stint.contracts.Route;
import dev.stint.engine.OverloadedException;
import dev.stint.engine.StoreUnavailableException;
import io.helidon.http.Header;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What every request goes through: its route, the gatekeeper, its body, its answer. */
final class Front implements Handler {
  private static final Logger LOG = LoggerFactory.getLogger(Front.class);
  private static final byte[] NO_BODY = {};

  /** Of a longer answer each part has its time, so that a slow link gets all of it. */
  private static final int PART_BYTES = 64 * 1024;

  static final Header NO_STORE = HeaderValues.createCached(HeaderNames.CACHE_CONTROL, "no-store");
  static final Header NO_SNIFF = HeaderValues.createCached("X-Content-Type-Options", "nosniff");

  private static final Map<String, HeaderName> NAMES = new ConcurrentHashMap<>();

  private final RouteTable routes;
  private final Gatekeeper gatekeeper;
  private final Impostors impostors;
  private final Metrics metrics;
  private volatile boolean draining;

  Front(RouteTable routes, Gatekeeper gatekeeper, Impostors impostors, Metrics metrics) {
    this.routes = routes;
    this.gatekeeper = gatekeeper;
    this.impostors = impostors;
    this.metrics = metrics;
  }

  /**
   * Refuses what comes from now on, except reports on tasks whose delivery is still under way, and
   * lets go of every connection after its next answer.
   */
  void drain() {
    draining = true;
  }

  @Override
  public void handle(ServerRequest request, ServerResponse response) {
    long begin = System.nanoTime();
    Client client = Client.CURRENT.get();
    String requestId = RequestIds.of(first(request, "X-Request-Id"));
    String method = request.prologue().method().text();
    boolean isHead = method.equals("HEAD");
    Route route = null;
    Reply reply;
    byte[] body = null;
    try {
      RouteTable.Match match = routes.find(method, request.path().rawPath());
      route = match.route();
      if (draining && route.access().role() != Access.Role.TASK) {
        throw Refusal.away("draining", "this server is stopping; try again", 1);
      }
      Caller caller =
          gatekeeper.check(
              route.access(), name -> first(request, name), () -> request.remotePeer().host());
      body = body(request);
      client.received();
      reply =
          route
              .handler()
              .handle(
                  new HttpCall(
                      request,
                      match.names(),
                      body,
                      requestId,
                      caller,
                      () -> gatekeeper.isStillLetIn(caller, name -> first(request, name)),
                      impostors));
      LiveBody live = reply.live();
      if (isHead && live != null) {
        live.close();
        throw new RouteTable.WrongMethodException("GET");
      }
    } catch (RequestUnreadableException e) {
      throw e.cause();
    } catch (RuntimeException | Error e) {
      reply = refused(e, requestId, method, route);
    }
    boolean isLast = draining || wantsToHangUp(request);
    if (body == null && !readsAway(request)) {
      isLast = true;
    }
    client.received();
    metrics.answered(route, method, reply.status(), System.nanoTime() - begin);
    try (LiveBody stream = reply.live()) {
      head(response, reply, requestId, isLast);
      if (stream != null) {
        stream(response, stream, client);
      } else if (isHead) {
        sendHead(response, reply.body().length, client);
      } else {
        send(response, reply.body(), client);
      }
    }
    client.answered();
  }

  /** The answer to a call that is not answered as it wished. */
  private static Reply refused(
      Throwable why, String requestId, String method, @Nullable Route route) {
    return switch (why) {
      case Refusal refusal -> refusal.reply();
      case RouteTable.WrongMethodException wrong ->
          Refusal.methodNotAllowed("this path takes " + wrong.allowed())
              .reply()
              .with("Allow", wrong.allowed());
      case OverloadedException _ -> Refusal.overloaded().reply();
      case StoreUnavailableException away -> {
        LOG.debug("request {}: {}", requestId, away.getMessage());
        yield Refusal.storeAway().reply();
      }
      default -> {
        LOG.error("request {}: {} {} failed", requestId, method, path(route), why);
        yield Refusal.unexpected(requestId).reply();
      }
    };
  }

  /**
   * Reads a body that nobody wanted: hanging up on a client that still sends could take the answer
   * away from it. False if the client sends it when it is asked to, and so never.
   */
  private static boolean readsAway(ServerRequest request) {
    if (request.content().hasEntity() && !request.content().consumed()) {
      if (request.headers().containsToken(HeaderValues.EXPECT_100)) {
        return false;
      }
      request.content().consume();
    }
    return true;
  }

  /** Sends an answer, watched like a stream: a client that does not read could hold it for ever. */
  private static void send(ServerResponse response, byte[] body, Client client) {
    if (body.length <= PART_BYTES) {
      client.sending();
      response.send(body);
      client.sent();
      return;
    }
    response.header(HeaderNames.CONTENT_LENGTH, Integer.toString(body.length));
    try (OutputStream out = new Outflow(response.outputStream(), client)) {
      for (int from = 0; from < body.length; from += PART_BYTES) {
        out.write(body, from, Math.min(PART_BYTES, body.length - from));
      }
    } catch (IOException e) {
      throw new CloseConnectionException("The client has gone", e);
    }
  }

  /** Says how long the body would be, which the answer to HEAD must not have. */
  private static void sendHead(ServerResponse response, int bodyLength, Client client) {
    if (bodyLength > 0) {
      response.header(HeaderNames.CONTENT_LENGTH, Integer.toString(bodyLength));
    }
    send(response, NO_BODY, client);
  }

  /** Sends what comes for as long as it comes; nobody is left to be told if that fails. */
  private void stream(ServerResponse response, LiveBody live, Client client) {
    try (OutputStream out = new Outflow(response.outputStream(), client)) {
      live.writeTo(out);
    } catch (IOException e) {
      throw new CloseConnectionException("The client has gone", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CloseConnectionException("The server stops", e);
    } catch (RuntimeException e) {
      LOG.error("a stream of events failed", e);
      throw new CloseConnectionException("The stream failed", e);
    }
    if (draining) {
      client.endAfterThisAnswer();
    }
  }

  private static byte[] body(ServerRequest request) {
    if (!request.content().hasEntity()) {
      return NO_BODY;
    }
    byte[] body;
    try (InputStream in = request.content().inputStream()) {
      // Without its length, a body of any size would be read into 16 KB first.
      OptionalLong length = request.headers().contentLength();
      body =
          length.isPresent()
              ? in.readNBytes((int) Math.min(length.getAsLong(), Integer.MAX_VALUE))
              : in.readAllBytes();
    } catch (IOException e) {
      throw new RequestUnreadableException(new UncheckedIOException(e));
    } catch (RuntimeException e) {
      // Too long, broken off or not HTTP at all: Helidon knows how to answer, and hangs up.
      throw new RequestUnreadableException(e);
    }
    if (body.length > 0 && !isJson(first(request, "Content-Type"))) {
      throw Refusal.notJson(
          "send the body as JSON, with the header Content-Type: application/json");
    }
    return body;
  }

  private static boolean isJson(@Nullable String contentType) {
    if (contentType == null || contentType.equals("application/json")) {
      return contentType != null;
    }
    String[] parts = contentType.toLowerCase(Locale.ROOT).split(";", -1);
    String type = parts[0].strip();
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].strip().replace("\"", "");
      if (parameter.startsWith("charset=") && !parameter.equals("charset=utf-8")) {
        return false;
      }
    }
    return type.equals("application/json")
        || (type.startsWith("application/") && type.endsWith("+json"));
  }

  private static void head(
      ServerResponse response, Reply reply, String requestId, boolean isLastOnItsConnection) {
    response.status(Status.create(reply.status()));
    response.header(HeaderValues.create("X-Request-Id", requestId));
    response.header(NO_STORE);
    response.header(NO_SNIFF);
    if (reply.body().length > 0) {
      response.header(HeaderValues.CONTENT_TYPE_JSON);
    }
    reply.headers().forEach((name, value) -> response.header(HeaderNames.create(name), value));
    if (reply.status() == 401) {
      response.header(HeaderNames.WWW_AUTHENTICATE, "Bearer");
    }
    if (isLastOnItsConnection) {
      response.header(HeaderValues.CONNECTION_CLOSE);
      Client.CURRENT.get().endAfterThisAnswer();
    }
  }

  private static boolean wantsToHangUp(ServerRequest request) {
    return request.headers().contains(HeaderNames.CONNECTION)
        && request.headers().containsToken(HeaderValues.CONNECTION_CLOSE);
  }

  /** The value of a header, whose name is one of the few that the server knows. */
  static @Nullable String first(ServerRequest request, String name) {
    HeaderName header = NAMES.computeIfAbsent(name, HeaderNames::create);
    return request.headers().first(header).orElse(null);
  }

  private static String path(@Nullable Route route) {
    return route == null ? "(no route)" : route.path();
  }

  /** The request could not be read to its end. */
  private static final class RequestUnreadableException extends RuntimeException {
    private final RuntimeException cause;

    RequestUnreadableException(RuntimeException cause) {
      super(null, cause, false, false);
      this.cause = cause;
    }

    RuntimeException cause() {
      return cause;
    }
  }
}
