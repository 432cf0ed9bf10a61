package dev.stint.worker;

import dev.stint.client.Json;
import dev.stint.client.Patience;
import dev.stint.client.sdk.Handler;
import dev.stint.client.sdk.Job;
import dev.stint.client.sdk.JobFailedException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does each job by a command, which gets the payload as JSON on stdin and as words of its own. The
 * lines of its output that are JSON are the result; an exit status other than 0 is a failure.
 */
public final class CommandHandler implements Handler {
  private static final Logger log = LoggerFactory.getLogger(CommandHandler.class);

  /** Of JSON; a control plane fails a job whose result has more. */
  private static final int MAX_RESULT = 1_000_000;

  private static final int MAX_OUTPUT = 1 << 20;
  private static final int MAX_ERRORS = 1 << 16;
  private static final int TAIL = 1_000;

  /** For what is still in the pipes when all its processes that were found have ended. */
  private static final Duration LAST_WORDS = Duration.ofSeconds(5);

  private final AtomicLong runs =
      new AtomicLong(ThreadLocalRandom.current().nextLong(Long.MAX_VALUE / 2));
  private final CommandTemplate template;
  private final Duration killGrace;
  private final Patience patience = new Patience();
  private final Map<Mark, Process> running = new HashMap<>();
  private boolean isKilled;

  /**
   * A handler that runs this command.
   *
   * @param words the command and its arguments, with placeholders as {@link CommandTemplate} has
   * @param killGrace between SIGTERM and SIGKILL when it has to stop
   * @throws IllegalArgumentException if a placeholder is none
   */
  public CommandHandler(List<String> words, Duration killGrace) {
    this.template = new CommandTemplate(words);
    this.killGrace = killGrace;
  }

  @Override
  public @Nullable Object handle(Job job) throws Exception {
    // The mark is to find this run's processes by, whatever other attempts there are.
    Mark mark = new Mark(job.id(), runs.incrementAndGet());
    Process process = start(job, mark);
    LastOutput output = new LastOutput(MAX_OUTPUT);
    LastOutput errors = new LastOutput(MAX_ERRORS);
    int status;
    try {
      onItsOwnThread(() -> output.read(process.getInputStream()));
      onItsOwnThread(() -> errors.read(process.getErrorStream()));
      feed(process.getOutputStream(), job.payloadJson());
      status = process.waitFor();
    } finally {
      end(new ProcessTree(mark, process.toHandle()));
      forget(mark);
    }
    stayIfKilled();
    if (status != 0) {
      String said = tail(errors.take(LAST_WORDS));
      throw JobFailedException.forGood(
          "EXIT_" + status, "exit status " + status + (said.isEmpty() ? "" : ": " + said));
    }
    return result(output.take(LAST_WORDS));
  }

  /**
   * Ends all processes of all jobs this moment; for when the JVM itself is about to end. From now
   * on no command starts, and no handler comes to its end: that its command was killed is no
   * failure of the job, which somebody else will do.
   */
  public void killAll() {
    for (Map.Entry<Mark, Process> run : lastRuns().entrySet()) {
      try {
        new ProcessTree(run.getKey(), run.getValue().toHandle()).end(Duration.ZERO);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private synchronized Map<Mark, Process> lastRuns() {
    isKilled = true;
    return Map.copyOf(running);
  }

  private synchronized void stayIfKilled() throws InterruptedException {
    while (isKilled) {
      wait();
    }
  }

  private synchronized void forget(Mark mark) {
    running.remove(mark);
  }

  /** One at a time, so that none starts behind the back of {@link #killAll}. */
  private synchronized Process start(ProcessBuilder builder, Mark mark)
      throws Launch.LaunchException, IOException, InterruptedException {
    stayIfKilled();
    Process process = Launch.start(builder);
    running.put(mark, process);
    return process;
  }

  /** Waits while this machine has no room for it: the job can do nothing about that. */
  private Process startInTime(ProcessBuilder builder, Mark mark)
      throws Launch.LaunchException, InterruptedException {
    for (int failures = 0; ; failures++) {
      try {
        return start(builder, mark);
      } catch (IOException e) {
        log.warn("job {} waits, as this machine cannot start it: {}", mark, Launch.words(e));
        patience.rest(failures);
      }
    }
  }

  private Process start(Job job, Mark mark) throws JobFailedException, InterruptedException {
    try {
      ProcessBuilder builder =
          Launch.prepared(template.fill(job), Path.of("").toAbsolutePath(), mark);
      builder.environment().put("STINT_TASK", job.task() == null ? "" : job.task());
      return startInTime(builder, mark);
    } catch (Launch.LaunchException e) {
      throw JobFailedException.forGood("NOT_STARTED", String.valueOf(e.getMessage()));
    }
  }

  /**
   * All its processes, also when this thread is interrupted, which is why most have to end. If that
   * happens once more, there is no more time for them.
   */
  private void end(ProcessTree tree) throws InterruptedException {
    boolean isInterrupted = Thread.interrupted();
    try {
      tree.end(killGrace);
    } catch (InterruptedException e) {
      isInterrupted = true;
      tree.end(Duration.ZERO);
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** On a thread of its own: a command need not read what it is given. */
  private static void feed(OutputStream stdin, String payload) {
    onItsOwnThread(() -> {
      try (stdin) {
        stdin.write((payload + "\n").getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        // It has ended, or closed its stdin: it did not want it.
      }
    });
  }

  /**
   * Not a virtual one: a pipe keeps the thread that carries it, of which there are only so many,
   * and with a hundred commands nothing would be left for heartbeats.
   */
  private static void onItsOwnThread(Runnable task) {
    Thread.ofPlatform().name("pipe-of-command").daemon().start(task);
  }

  private static String tail(String text) {
    String stripped = text.strip();
    return endOf(stripped, Math.max(0, stripped.length() - TAIL));
  }

  /** What begins there, without half a character. */
  private static String endOf(String text, int from) {
    boolean isParted =
        from > 0 && from < text.length() && Character.isLowSurrogate(text.charAt(from));
    return text.substring(isParted ? from + 1 : from);
  }

  /**
   * One line of JSON is the result itself, several are a list; else there is what it printed. Lines
   * stay the text that they are: a number that is read and written again may be another.
   */
  private static Object result(String output) throws JobFailedException {
    List<Json.Text> values = new ArrayList<>();
    for (String line : output.lines().toList()) {
      try {
        values.add(Json.Text.checked(line));
      } catch (IllegalArgumentException e) {
        // a line for people
      }
    }
    if (values.isEmpty()) {
      return printed(output);
    }
    Object result = values.size() == 1 ? values.getFirst() : values;
    int bytes = bytes(result);
    if (bytes > MAX_RESULT) {
      throw JobFailedException.forGood(
          "RESULT_TOO_LARGE",
          "the result has " + bytes + " bytes; at most " + MAX_RESULT + " are taken");
    }
    return result;
  }

  /** As much of the end as fits, once it is written: a character may have six bytes there. */
  private static Map<String, String> printed(String output) {
    int from = 0;
    int fits = bytes(Map.of("stdout", output)) > MAX_RESULT ? output.length() : 0;
    while (from < fits) {
      int middle = (from + fits) >>> 1;
      if (bytes(Map.of("stdout", output.substring(middle))) > MAX_RESULT) {
        from = middle + 1;
      } else {
        fits = middle;
      }
    }
    return Map.of("stdout", endOf(output, from));
  }

  private static int bytes(Object json) {
    return Json.write(json).getBytes(StandardCharsets.UTF_8).length;
  }
}
