package dev.stint.bench;

import dev.stint.contracts.Access;
import dev.stint.contracts.Contract;
import dev.stint.contracts.Reply;
import dev.stint.contracts.Route;
import java.util.List;
import java.util.Map;

/**
 * Gives back what it gets, behind the same door and the same credential as a submit: what a request
 * costs before there is any job in it.
 */
final class EchoContract implements Contract {
  private static final Access LIKE_A_SUBMIT = Access.orLocal(Access.Role.PRODUCER);

  @Override
  public List<Route> routes() {
    return List.of(
        new Route(
            "POST", EchoScript.PATH, LIKE_A_SUBMIT, call -> new Reply(200, Map.of(), call.body())));
  }
}
