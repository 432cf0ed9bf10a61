package dev.stint.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.contracts.callback.AllowedTargets;
import dev.stint.contracts.callback.CallbackContract;
import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.Job;
import dev.stint.engine.JobContent;
import dev.stint.engine.JobIds;
import dev.stint.engine.JobState;
import dev.stint.engine.LeasePolicy;
import dev.stint.engine.Needs;
import dev.stint.engine.Observer;
import dev.stint.engine.Outcome;
import dev.stint.engine.Proof;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Scope;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import dev.stint.engine.Times;
import dev.stint.server.Tokens;
import dev.stint.storage.Stores;
import dev.stint.testkit.FaultyStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Filter;
import java.util.logging.Logger;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A name is looked up once, and the address that was checked is the one that is connected to. */
class CourierTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";

  @TempDir private Path folder;

  @Test
  void aNameThatLeadsToThisMachineIsNotFollowed() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      socket.setSoTimeout(300);
      AtomicInteger lookups = new AtomicInteger();
      Courier.Result result =
          deliver(
              "http://rebound.example.org:" + socket.getLocalPort() + "/",
              host -> {
                lookups.incrementAndGet();
                return new InetAddress[] {
                  InetAddress.getLoopbackAddress(), InetAddress.getByName("10.0.0.1")
                };
              });
      assertThat(result)
          .isEqualTo(
              new Courier.Result.Unreachable("its host leads to an address that is not public"));
      assertThat(lookups).hasValue(1);
      assertThatThrownBy(socket::accept).isInstanceOf(IOException.class);
    }
  }

  @Test
  void theAddressThatWasCheckedIsTheOneThatIsConnectedTo() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> answer(socket));
      AtomicInteger lookups = new AtomicInteger();
      Courier.Result result =
          deliver(
              "http://localhost:" + socket.getLocalPort() + "/",
              host -> {
                // Whoever asks again is led astray.
                return new InetAddress[] {
                  lookups.incrementAndGet() == 1
                      ? InetAddress.getLoopbackAddress()
                      : InetAddress.getByName("10.0.0.1")
                };
              });
      assertThat(result).isEqualTo(new Courier.Result.Accepted());
      assertThat(lookups).hasValue(1);
    }
  }

  @Test
  void aTaskThatNobodyBeginsIsGivenUpInTheEnd() throws Exception {
    String url = "http://127.0.0.1:9/";
    AllowedTargets targets = AllowedTargets.of(List.of(url));
    try (Store store = Stores.open(folder.resolve("stint.db").toString(), Clock.systemUTC());
        Engine engine = Engine.start(store, EngineSettings.DEFAULT, Observer.NONE)) {
      UUID id = submit(engine, url, "http://127.0.0.1:9");
      for (long i = 0; i < Lane.MAX_DELIVERIES; i++) {
        Outcome.Claimed claimed = claimed(engine, "http://127.0.0.1:9");
        Proof proof = new Proof(null, null, null, null, claimed.lease().fence());
        engine.execute(new Command.Release(id, proof), null);
      }
      Dispatcher.Settings settings =
          new Dispatcher.Settings(targets, SECRET, Duration.ofSeconds(1), 1_000);
      try (Dispatcher dispatcher = Dispatcher.start(engine, contract(engine, targets), settings)) {
        long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (!engine.find(id).orElseThrow().job().state().isTerminal()) {
          assertThat(System.nanoTime()).isLessThan(end);
          Thread.sleep(10);
        }
        assertThat(engine.find(id).orElseThrow().job())
            .returns(JobState.FAILED, Job::state)
            .returns("DISPATCH_FAILED", Job::reason);
        engine.execute(new Command.Replay(id, 0), null);
        while (engine.find(id).orElseThrow().job().fence() < Lane.MAX_DELIVERIES + 2
            || engine.find(id).orElseThrow().job().lease() != null) {
          assertThat(System.nanoTime()).isLessThan(end);
          Thread.sleep(10);
        }
        assertThat(engine.find(id).orElseThrow().job()).returns(JobState.PENDING, Job::state);
        assertThat(dispatcher).isNotNull();
      }
    }
  }

  @Test
  void aClaimThatFailsForAReasonThatNobodyThoughtOfDoesNotEndTheDeliveries() throws Exception {
    deliverAfterAMishap();
  }

  @Test
  void anErrorInALaneDoesNotEndItsDeliveries() throws Exception {
    Logger logger = Logger.getLogger(Lane.class.getName());
    AtomicInteger errors = new AtomicInteger();
    // Stands for whatever goes wrong in a lane: there is no room for a line of its log.
    Filter broken =
        line -> {
          errors.incrementAndGet();
          throw new OutOfMemoryError("drill");
        };
    logger.setFilter(broken);
    try {
      deliverAfterAMishap();
    } finally {
      logger.setFilter(null);
    }
    assertThat(errors).hasPositiveValue();
  }

  private void deliverAfterAMishap() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        FaultyStore store =
            new FaultyStore(Stores.open(folder.resolve("stint.db").toString(), Clock.systemUTC()));
        Engine engine = Engine.start(store, EngineSettings.DEFAULT, Observer.NONE)) {
      String target = "http://127.0.0.1:" + socket.getLocalPort();
      AllowedTargets targets = AllowedTargets.of(List.of(target + "/"));
      submit(engine, target + "/", target);
      store.failNext(FaultyStore.Fault.UNEXPECTED);
      Dispatcher.Settings settings =
          new Dispatcher.Settings(targets, SECRET, Duration.ofSeconds(1), 1_000);
      socket.setSoTimeout(20_000);
      try (Dispatcher _ = Dispatcher.start(engine, contract(engine, targets), settings)) {
        answer(socket);
      }
    }
  }

  private static void answer(ServerSocket socket) {
    try (Socket connection = socket.accept()) {
      connection.getInputStream().read(new byte[64 * 1024]);
      connection
          .getOutputStream()
          .write(
              "HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Courier.Result deliver(String url, Courier.Resolver resolver) throws Exception {
    AllowedTargets targets = AllowedTargets.of(List.of(url));
    try (Store store = Stores.open(folder.resolve("stint.db").toString(), Clock.systemUTC());
        Engine engine = Engine.start(store, EngineSettings.DEFAULT, Observer.NONE);
        Post post =
            new Post(SSLContext.getDefault(), Duration.ofSeconds(1), Duration.ofSeconds(5))) {
      Courier courier =
          new Courier(
              contract(engine, targets),
              targets,
              new Signature(SECRET),
              post,
              resolver,
              Clock.systemUTC());
      submit(engine, url, "there");
      return courier.deliver(claimed(engine, "there"));
    }
  }

  private static CallbackContract contract(Engine engine, AllowedTargets targets) {
    return new CallbackContract(
        engine,
        new Tokens(List.of(SECRET), Clock.systemUTC()),
        new CallbackContract.Settings(() -> "http://here", targets, 1_000, 10, 30_000));
  }

  private static UUID submit(Engine engine, String url, String target) {
    UUID id = JobIds.next();
    JobContent content =
        new JobContent(
            "callback", null, "{}", null, Scope.NONE, "{\"dispatchUrl\":\"" + url + "\"}");
    engine.execute(
        new Command.Submit(
            id,
            new Command.Submit.Draft(
                "q",
                Needs.delivery(target),
                0,
                0,
                Times.NEVER,
                0,
                RetryPolicy.attempts(1),
                LeasePolicy.OF_THE_CLAIMER),
            content,
            null,
            10),
        null);
    return id;
  }

  private static Outcome.Claimed claimed(Engine engine, String target) {
    Command.Claim claim =
        new Command.Claim(
            "d", List.of("q"), Skills.delivery(target), true, null, CallbackContract.terms(5_000));
    return (Outcome.Claimed) engine.execute(claim, null);
  }
}
