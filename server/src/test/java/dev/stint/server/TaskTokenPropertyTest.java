package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.contracts.Access;
import dev.stint.contracts.Caller;
import dev.stint.contracts.Route;
import dev.stint.contracts.TaskPass;
import dev.stint.engine.Lease;
import dev.stint.engine.Scope;
import dev.stint.server.Tasks.Envelope;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

/** A task token says one thing, and opens one thing. */
class TaskTokenPropertyTest {
  private static final Duration LIFE = Duration.ofMinutes(5);
  private static final List<String> CALLBACKS = List.of("started", "heartbeat", "completed");
  private static final List<Envelope> ENVELOPES = new ArrayList<>();

  @SuppressWarnings("NullAway.Init") // set before all properties
  private static Path folder;

  @SuppressWarnings("NullAway.Init") // set before all properties
  private static TestServer server;

  private final Tokens tokens =
      new Tokens(List.of("0123456789abcdef0123456789abcdef"), Clock.systemUTC());

  /** Five tasks of which two were given out twice, once as another attempt and once as the same. */
  @BeforeContainer
  static void start() throws IOException, InterruptedException {
    folder = Files.createTempDirectory("stint-tokens");
    server =
        TestServer.start(
            folder,
            s ->
                s.withFleet(new Settings.Fleet(60, 10, 1))
                    .withSecurity(new Settings.Security(null, null, 1_000_000, null)));
    String lost = Tasks.submit(server, "{\"heartbeatIntervalMs\":10,\"heartbeatTimeoutMs\":20}");
    ENVELOPES.add(Tasks.claim(server, "").start());
    Waits.until(() -> "QUEUED".equals(Tasks.state(server, lost)));
    ENVELOPES.add(Tasks.claim(server, ""));
    Waits.until(() -> "QUEUED".equals(Tasks.state(server, lost)));
    server.post("/v1/tasks/" + lost + "/cancel", "{}", Tasks.ADMIN);
    for (int i = 0; i < 4; i++) {
      Tasks.submit(server, "{\"tenantId\":\"t" + i % 2 + "\",\"workspaceId\":\"w\"}");
      ENVELOPES.add(Tasks.claim(server, "").start());
    }
  }

  @AfterContainer
  static void stop() throws IOException {
    server.close();
    ENVELOPES.clear();
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  /** What a token is made for. */
  record Made(Scope scope, UUID taskId, int attempt, long fence) {}

  @Provide
  Arbitrary<Made> made() {
    Arbitrary<String> name = Arbitraries.strings().ascii().ofMaxLength(20);
    Arbitrary<Scope> scope =
        Combinators.combine(name, name, name)
            .as((t, w, r) -> new Scope(orNull(t), orNull(w), orNull(r)));
    return Combinators.combine(
            scope,
            Arbitraries.longs(),
            Arbitraries.integers().greaterOrEqual(1),
            Arbitraries.longs().greaterOrEqual(1))
        .as((s, id, attempt, fence) -> new Made(s, new UUID(id, ~id), attempt, fence));
  }

  private static @Nullable String orNull(String name) {
    return name.isEmpty() ? null : name;
  }

  @Property(tries = 200)
  void aTokenSaysExactlyWhatItWasMadeForAndNoRole(@ForAll("made") Made made) {
    Caller caller = Objects.requireNonNull(tokens.verify(issue(made)));
    TaskPass pass = Objects.requireNonNull(caller.task());
    assertThat(new Made(pass.scope(), pass.taskId(), pass.attempt(), pass.fence())).isEqualTo(made);
    for (var role : Access.Role.values()) {
      assertThat(caller.may(role)).isEqualTo(role == Access.Role.TASK);
    }
  }

  @Property(tries = 200)
  void noPartOfATokenCanBePutIntoAnother(
      @ForAll("made") Made one, @ForAll("made") Made other, @ForAll @IntRange(max = 2) int part) {
    String[] parts = issue(one).split("\\.", -1);
    String[] others = issue(other).split("\\.", -1);
    if (!parts[part].equals(others[part])) {
      parts[part] = others[part];
      assertThat(tokens.verify(String.join(".", parts))).isNull();
    }
  }

  @Property(tries = 200)
  void noClaimOfATokenCanBeChanged(
      @ForAll("made") Made made, @ForAll @IntRange(max = 3) int which) {
    String[] parts = issue(made).split("\\.", -1);
    String claims = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
    String changed =
        switch (which) {
          case 0 ->
              claims.replace("\"attempt\":" + made.attempt, "\"attempt\":" + (made.attempt ^ 1));
          case 1 -> claims.replace("\"fence\":" + made.fence, "\"fence\":" + (made.fence ^ 1));
          case 2 -> claims.replace(made.taskId.toString(), new UUID(1, 1).toString());
          default -> claims.replace("\"use\":\"task\"", "\"role\":\"admin\"");
        };
    assertThat(changed).isNotEqualTo(claims);
    parts[1] =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(changed.getBytes(StandardCharsets.UTF_8));
    assertThat(tokens.verify(String.join(".", parts))).isNull();
  }

  private String issue(Made made) {
    Lease lease = new Lease(made.taskId, "t", "w", made.attempt, made.fence, 1, 1, 1_000, 1_000, 1);
    return tokens.issueTask(made.scope, made.taskId, lease, LIFE).token();
  }

  @Property(tries = 150)
  void aTokenOpensTheCallbacksOfItsOwnAttemptAlone(
      @ForAll @IntRange(max = 5) int mine,
      @ForAll @IntRange(max = 5) int other,
      @ForAll @IntRange(max = 2) int callback,
      @ForAll @IntRange(min = 1, max = 3) int attempt) {
    Envelope holder = ENVELOPES.get(mine);
    Envelope target = ENVELOPES.get(other);
    boolean isItsTask = holder.id().equals(target.id());
    boolean isItsAttempt = holder.attempt() == attempt;
    boolean isCurrent = mine >= 2;
    if (isItsTask && isItsAttempt && isCurrent && callback == 2) {
      return; // this one would be right, and end the task
    }
    Answer answer =
        target.postWith(
            holder.token(),
            CALLBACKS.get(callback),
            "{\"attempt\":%d,\"workerId\":\"w\",\"outcome\":\"SUCCEEDED\"}".formatted(attempt));
    if (!isItsTask || !isItsAttempt) {
      assertThat(answer.status()).isEqualTo(403);
    } else if (isCurrent) {
      assertThat(answer.status()).isEqualTo(200);
    } else {
      assertThat(answer.status()).isIn(409, 410);
    }
  }

  @Property(tries = 60)
  void aTokenOpensNoOtherRoute(@ForAll @IntRange(max = 5) int mine, @ForAll @IntRange int which) {
    List<Route> routes =
        server.server().routes().stream()
            .filter(route -> route.access().role() != null)
            .filter(route -> route.access().role() != Access.Role.TASK)
            .toList();
    Route route = routes.get(Math.floorMod(which, routes.size()));
    Envelope holder = ENVELOPES.get(mine);
    Answer answer =
        server.send(
            server
                .request(
                    route.path().replace("{id}", holder.id()).replaceAll("[{].*?[}]", "x"),
                    "Authorization",
                    "Bearer " + holder.token())
                .method(route.method(), HttpRequest.BodyPublishers.noBody()));
    assertThat(answer.status()).as(route.toString()).isEqualTo(403);
  }
}
