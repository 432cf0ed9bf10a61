package dev.stint.server;

import dev.stint.contracts.Call;
import dev.stint.contracts.Caller;
import io.helidon.webserver.http.ServerRequest;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A call that came by HTTP.
 *
 * @param isStillLetIn whether its credential, which was good when it came, is so now
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record HttpCall(
    ServerRequest request,
    Map<String, String> names,
    byte[] body,
    String requestId,
    Caller caller,
    BooleanSupplier isStillLetIn,
    Impostors impostors)
    implements Call {

  @Override
  public String path(String name) {
    String value = names.get(name);
    if (value == null) {
      throw new IllegalArgumentException("the route has no {" + name + "}");
    }
    return value;
  }

  @Override
  public @Nullable String query(String name) {
    return request.query().first(name).orElse(null);
  }

  @Override
  public Set<String> queryNames() {
    return request.query().names();
  }

  @Override
  public @Nullable String header(String name) {
    return Front.first(request, name);
  }

  @Override
  public String actingAs(String workerId) {
    return impostors.check(caller, workerId, requestId);
  }

  @Override
  public BooleanSupplier watchClient() {
    BooleanSupplier isThere = Client.CURRENT.get().watch();
    return () -> isThere.getAsBoolean() && isStillLetIn.getAsBoolean();
  }
}
