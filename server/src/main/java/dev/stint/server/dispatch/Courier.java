package dev.stint.server.dispatch;

import dev.stint.contracts.callback.AllowedTargets;
import dev.stint.contracts.callback.CallbackContract;
import dev.stint.engine.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Takes one task to where it is to go. */
final class Courier {
  private final CallbackContract contract;
  private final AllowedTargets targets;
  private final Signature signature;
  private final Post post;
  private final Resolver resolver;
  private final Clock clock;

  /** Finds the addresses of a host. */
  interface Resolver {
    InetAddress[] find(String host) throws UnknownHostException;
  }

  /** How a delivery went. */
  sealed interface Result {
    /** The receiver took it, and will report. */
    record Accepted() implements Result {}

    /** The receiver did not want this one, or not now. */
    record Refused(String why) implements Result {}

    /** Nobody is there, or nobody who can answer. */
    record Unreachable(String why) implements Result {}
  }

  Courier(
      CallbackContract contract,
      AllowedTargets targets,
      Signature signature,
      Post post,
      Resolver resolver,
      Clock clock) {
    this.contract = contract;
    this.targets = targets;
    this.signature = signature;
    this.post = post;
    this.resolver = resolver;
    this.clock = clock;
  }

  Result deliver(Outcome.Claimed claimed) {
    String url = CallbackContract.dispatchUrl(claimed);
    if (url == null || !targets.allow(url)) {
      return new Result.Refused("the server's --dispatch-allow does not have its URL any more");
    }
    URI uri = URI.create(URI.create(url).toASCIIString());
    byte[] body = contract.envelope(claimed).toJson().getBytes(StandardCharsets.UTF_8);
    long now = clock.instant().getEpochSecond();
    try {
      InetAddress address = allowedAddress(uri.getHost());
      if (address == null) {
        return new Result.Unreachable("its host leads to an address that is not public");
      }
      int status = post.send(uri, address, Map.of(Signature.HEADER, signature.of(now, body)), body);
      return result(status);
    } catch (UnknownHostException e) {
      return new Result.Unreachable("its host is not known");
    } catch (IOException e) {
      return new Result.Unreachable(e.getMessage() == null ? e.toString() : e.getMessage());
    }
  }

  private @Nullable InetAddress allowedAddress(String host) throws UnknownHostException {
    for (InetAddress address : resolver.find(host)) {
      if (Reach.allows(host, address)) {
        return address;
      }
    }
    return null;
  }

  private static Result result(int status) {
    String why = "it answered " + status;
    return switch (status / 100) {
      case 2 -> new Result.Accepted();
      default ->
          status == 429 || status == 502 || status == 503 || status == 504
              ? new Result.Unreachable(why)
              : new Result.Refused(why);
    };
  }
}
