package dev.stint.cli;

import dev.stint.client.Answer;
import dev.stint.client.Json;
import dev.stint.client.UnreachableException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stint submit}. */
@Command(
    name = "submit",
    description = "Submits a command for a worker to run, and prints the id of its job.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint submit -- echo hello",
      "  stint submit --command sleep --args 2 --priority 10",
      "  stint submit --needs-gpu --wait -- python3 train.py --epochs 3",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.UNREACHABLE_LINE,
      "With --wait, once the job has ended, that of its command, or",
      "  120  it failed without one: its worker was lost, it took too long, …",
      "  121  it was aborted",
      "  122  the control plane knows it no longer",
      "Ctrl-C ends the waiting, not the job."
    })
final class SubmitCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Parameters(
      arity = "0..*",
      paramLabel = "COMMAND [ARG]",
      description = "What to run; all that follows it is its own, options too.")
  private List<String> words = List.of();

  @Option(
      names = {"--command", "-command"},
      paramLabel = "COMMAND",
      description = "The same as an option, without its arguments.")
  private @Nullable String command;

  @Option(
      names = {"--args", "-args"},
      paramLabel = "ARGS",
      description =
          "Its arguments in one string, split at blanks as a shell does: quotes and backslashes"
              + " count, nothing is expanded.")
  private @Nullable String args;

  @Option(
      names = {"--priority", "-priority"},
      paramLabel = "N",
      description = "The higher, the sooner. Default 0.")
  private @Nullable Long priority;

  @Option(
      names = {"--scheduled-at", "-scheduled-at"},
      paramLabel = "SECONDS",
      description = "Not before this Unix time; 0 is now.")
  private @Nullable Long scheduledAt;

  @Option(names = "--needs-gpu", description = "Only a worker that has the capability gpu.")
  private boolean needsGpu;

  @Option(
      names = "--requirement",
      paramLabel = "NAME",
      description = "Only a worker that has this capability; may be given several times.")
  private List<String> requirements = List.of();

  @Option(
      names = "--working-dir",
      paramLabel = "FOLDER",
      description = "Where on the worker's machine to run it.")
  private @Nullable String workingDir;

  @Option(
      names = "--timeout-ms",
      paramLabel = "N",
      description = "It fails if it runs for longer. Default: no limit.")
  private @Nullable Long timeoutMs;

  @Option(
      names = "--max-attempts",
      paramLabel = "N",
      description = "How often it may be tried in all. Default 3.")
  private @Nullable Long maxAttempts;

  @Option(names = "--queue", paramLabel = "NAME", description = "Default commands.")
  private @Nullable String queue;

  @Option(
      names = "--metadata",
      paramLabel = "JSON",
      description = "An object that is kept with the job.")
  private @Nullable String metadata;

  @Option(
      names = "--wait",
      description = "Wait for the job's end, and end with the exit status of its command.")
  private boolean isWait;

  @Mixin private final ControlPlane control = new ControlPlane();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Map<String, @Nullable Object> body = body();
    Answer answer;
    try {
      answer = control.post("/jobs", body);
    } catch (UnreachableException e) {
      if (!e.isSent()) {
        throw e;
      }
      control.say(
          "stint: "
              + e.getMessage()
              + "; whether the job was taken is open: see stint jobs before you submit it again");
      return ExitCodes.UNREACHABLE;
    }
    String id = answer.string("job_id");
    if (id == null) {
      throw new RefusedException(answer, "the answer has no job_id; is --url a control plane?");
    }
    control.print(answer, id);
    return isWait ? Waiting.exitCodeOf(control, id, true) : ExitCodes.OK;
  }

  private Map<String, @Nullable Object> body() {
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    boolean isWords = !words.isEmpty();
    if (isWords == (command != null) || (isWords && args != null)) {
      throw new ParameterException(
          spec.commandLine(),
          isWords
              ? "give the command once: either after -- or with --command and --args"
              : "what shall it run? Try: stint submit -- echo hello");
    }
    body.put("command", isWords ? words.getFirst() : command);
    body.put("args", isWords ? words.subList(1, words.size()) : argsAsWords());
    put(body, "working_dir", workingDir);
    put(body, "timeout_ms", timeoutMs);
    put(body, "priority", priority);
    put(body, "scheduled_at", scheduledAt);
    put(body, "needs_gpu", needsGpu ? true : null);
    put(body, "requirements", requirements.isEmpty() ? null : requirements);
    put(body, "max_attempts", maxAttempts);
    put(body, "queue", queue);
    put(body, "metadata", metadata == null ? null : object(metadata));
    return body;
  }

  private static void put(Map<String, @Nullable Object> body, String name, @Nullable Object value) {
    if (value != null) {
      body.put(name, value);
    }
  }

  private List<String> argsAsWords() {
    try {
      return args == null ? List.of() : ShellWords.split(args);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--args: " + e.getMessage(), e);
    }
  }

  /** As it was typed: a number that is read and written again may be another. */
  private Json.Text object(String json) {
    try {
      if (Json.read(json) instanceof Map<?, ?>) {
        return new Json.Text(json);
      }
    } catch (IllegalArgumentException notJson) {
      // told below
    }
    throw new ParameterException(
        spec.commandLine(), "--metadata: must be a JSON object such as '{\"owner\": \"me\"}'");
  }
}
