package dev.stint.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Command;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.JobState;
import dev.stint.engine.LeasePolicy;
import dev.stint.engine.Needs;
import dev.stint.engine.Outcome;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Store;
import dev.stint.engine.Times;
import java.util.List;
import java.util.UUID;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** What the engine promises where memory is short, over any store. */
public abstract class StrainedEngineConformance extends NativeEngineConformance {
  private static final Logger ENGINE_LOG = Logger.getLogger("dev.stint.engine");

  /** A log that has no memory left either. */
  private static final class FailingLog extends Handler implements AutoCloseable {
    FailingLog() {
      ENGINE_LOG.addHandler(this);
    }

    @Override
    public void publish(LogRecord line) {
      throw new OutOfMemoryError("drill");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      ENGINE_LOG.removeHandler(this);
    }
  }

  @Test
  void errorsOfTheStoreEndNeitherWritersNorTheSweep() throws Exception {
    UUID id = submitWithShortLease();
    claim("crashed");
    store().throwErrors(2);
    waitUntil(() -> store().errorsLeft() == 0);
    submit();
    waitUntil(() -> store().find(id).orElseThrow().job().state() != JobState.RUNNING);
  }

  @Test
  void errorsThatCannotEvenBeLoggedEndNeitherWritersNorTheSweep() throws Exception {
    UUID id = submitWithShortLease();
    claim("crashed");
    try (FailingLog _ = new FailingLog()) {
      store().throwErrors(2 + store().writers());
      waitUntil(() -> store().errorsLeft() == 0);
    }
    submit();
    waitUntil(() -> store().find(id).orElseThrow().job().state() != JobState.RUNNING);
  }

  private UUID submitWithShortLease() {
    Command.Submit submit =
        Orders.submit(
            new Command.Submit.Draft(
                queue(),
                Needs.NOTHING,
                0,
                0,
                Times.NEVER,
                0,
                RetryPolicy.attempts(3),
                new LeasePolicy(300, 100, 0, 0)),
            null);
    engine().execute(submit, null);
    return submit.jobId();
  }

  @Test
  void whatIsCommittedIsAnsweredAndDoneOnceThoughWhoListensFailsAndTheLogToo() throws Exception {
    restart(
        EngineSettings.DEFAULT,
        commit -> {
          throw new OutOfMemoryError("drill");
        });
    List<Command.Submit> submits;
    try (FailingLog _ = new FailingLog()) {
      submits =
          all(
              50,
              () -> {
                Command.Submit submit = Orders.submit(queue());
                assertThat(engine().execute(submit, null)).isInstanceOf(Outcome.Submitted.class);
                return submit;
              });
    }
    assertThat(store().tally()).containsEntry(new Store.TallyKey(queue(), JobState.PENDING), 50L);
    for (Command.Submit submit : submits) {
      assertThat(store().events(submit.jobId(), 0, 10)).hasSize(1);
    }
  }
}
