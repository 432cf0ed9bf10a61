package dev.stint.cli;

import dev.stint.client.Json;
import dev.stint.server.SettingException;
import dev.stint.worker.CommandHandler;
import dev.stint.worker.redis.RedisRefusedException;
import dev.stint.worker.redis.RedisWorker;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** The worker command's other way: jobs out of a Redis stream, without a control plane. */
final class NativeOptions {
  /** For a command that had to be killed to be gone. */
  private static final Duration AFTER_KILL = Duration.ofSeconds(5);

  /** Flags of the worker command that mean something to both ways. */
  private static final Set<String> OF_BOTH_WAYS =
      Set.of("--worker-id", "--slots", "--drain-seconds", "--kill-grace-seconds", "--log-level");

  private static final Set<String> OWN = Set.of("--redis", "--stream", "--json");

  @Option(
      names = "--redis",
      paramLabel = "URL",
      description =
          "Take jobs from this Redis instead, redis://… or rediss://…, and run the COMMAND for each."
              + " A password is better kept out of the process list, in the variable. [STINT_REDIS]")
  private @Nullable String redis;

  @Option(
      names = "--stream",
      paramLabel = "NAME",
      defaultValue = "jobs:stream",
      description =
          "With --redis: the stream to take jobs from. Default ${DEFAULT-VALUE}. [STINT_STREAM]")
  private String stream = "";

  @Option(
      names = "--json",
      fallbackValue = Environment.ON,
      description =
          "With --redis: print one line of JSON for each job that has ended. [STINT_JSON]")
  private boolean isJson;

  @Parameters(
      arity = "0..*",
      paramLabel = "COMMAND",
      description =
          "With --redis: what to run, without a shell. {job_id}, {task}, {payload} and"
              + " {payload.NAME} in its arguments are filled in, and stdin has the payload as JSON."
              + " Lines of its output that are JSON become the result.")
  private List<String> command = List.of();

  /** Whether that way is wanted. The variable alone is not enough: a server's has it too. */
  boolean areMeant(CommandSpec spec) {
    return !command.isEmpty() || spec.commandLine().getParseResult().hasMatchedOption("--redis");
  }

  /** What would be ignored this way must not seem to count. Variables may be for other workers. */
  void refuseFlagsOfOtherWay(CommandSpec spec) {
    if (redis == null) {
      throw new ParameterException(
          spec.commandLine(),
          "--redis: say where Redis is, as in redis://localhost:6379, or leave out the command:"
              + " without --redis a worker runs what the jobs say");
    }
    for (OptionSpec given : spec.commandLine().getParseResult().matchedOptions()) {
      String flag = given.longestName();
      if (flag.equals("--queue")) {
        throw new SettingException(flag, "with --redis it is --stream");
      }
      if (!OWN.contains(flag) && !OF_BOTH_WAYS.contains(flag)) {
        throw new SettingException(flag, "not with --redis, which needs no control plane");
      }
    }
  }

  /** The same the other way round. */
  void refuseOwnFlags(CommandSpec spec) {
    for (OptionSpec given : spec.commandLine().getParseResult().matchedOptions()) {
      String flag = given.longestName();
      if (flag.equals("--stream")) {
        throw new SettingException(flag, "without --redis it is --queue");
      }
      if (OWN.contains(flag)) {
        throw new SettingException(flag, "only with --redis");
      }
    }
  }

  /** Works until told to stop. */
  int run(
      CommandSpec spec, @Nullable String workerId, int slots, Duration drain, Duration killGrace)
      throws InterruptedException {
    String url = Objects.requireNonNull(redis, "looked at before");
    if (command.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(),
          "--redis: say what to run for each job, as in: -- ./answer {payload}");
    }
    PrintWriter out = spec.commandLine().getOut();
    try {
      CommandHandler handler = new CommandHandler(command, killGrace);
      RedisWorker worker =
          RedisWorker.to(url).workerId(workerId).stream(stream)
              .slots(slots)
              .drain(drain)
              .lastCalls(killGrace.plus(AFTER_KILL))
              .onEnd(ended -> out.println(isJson ? json(ended) : words(ended)))
              .handle(handler)
              .start();
      Signals.stopWith(worker::close, handler::killAll);
      worker.awaitEnd();
      return Signals.exitCode();
    } catch (RedisRefusedException e) {
      spec.commandLine().getErr().println("stint: Redis refuses: " + e.getMessage());
      return ExitCodes.REFUSED;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), problem(String.valueOf(e.getMessage())));
    }
  }

  private static String problem(String message) {
    return message.startsWith("must be of the form redis://") ? "--redis: " + message : message;
  }

  private static String words(RedisWorker.Ended ended) {
    String said = ended.error().isEmpty() ? ended.result() : ended.error();
    return "%s %s after %d ms: %s"
        .formatted(ended.jobId(), ended.status(), ended.tookMs(), Screen.line(said));
  }

  private static String json(RedisWorker.Ended ended) {
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("job_id", ended.jobId());
    line.put("status", ended.status());
    line.put("duration_ms", ended.tookMs());
    if (!ended.result().isEmpty()) {
      line.put("result", new Json.Text(ended.result()));
    }
    if (!ended.error().isEmpty()) {
      line.put("error", new Json.Text(ended.error()));
    }
    return Json.write(line);
  }
}
