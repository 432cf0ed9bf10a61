package dev.stint.cli;

import dev.stint.client.Answer;
import dev.stint.client.Api;
import dev.stint.client.ServerEvents;
import dev.stint.server.SettingException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What all commands that call a control plane have in common: where it is, and how to answer. */
final class ControlPlane {
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);

  /** A stream says something every 15 seconds, besides what an answer may take. */
  private static final Duration SILENCE = Duration.ofSeconds(15);

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec command;

  @Option(
      names = {"--url", "-url"},
      paramLabel = "URL",
      defaultValue = "http://localhost:8080",
      description =
          "The control plane. Default ${DEFAULT-VALUE}."
              + " [STINT_URL, STINT_CONTROL_URL, HDCF_CONTROL_URL]")
  private String url = "";

  @Option(
      names = {"--token", "-token"},
      paramLabel = "TOKEN",
      defaultValue = "dev-token",
      description =
          "Its API token. Default ${DEFAULT-VALUE}. Others can see it in the process list."
              + " [STINT_API_TOKEN, HDCF_API_TOKEN]")
  private String token = "";

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "A file with the API token in its first line. [STINT_TOKEN_FILE]")
  private @Nullable Path tokenFile;

  @Option(
      names = {"--json", "-json"},
      description = "Print the control plane's JSON as it came, for programs.")
  private boolean isJson;

  private @Nullable Api api;

  /** Calls, and takes only a good answer for an answer. */
  Answer get(String path) throws IOException {
    return good(api().get(path));
  }

  /** Like {@link #get}, with something to say. */
  Answer post(String path, Map<String, @Nullable Object> body) throws IOException {
    return good(api().post(path, body));
  }

  /** Opens a stream of events behind the one with this id. */
  ServerEvents events(String path, @Nullable String lastId) throws IOException {
    return Objects.requireNonNull(api().events(path, lastId, SILENCE, this::good));
  }

  boolean isJson() {
    return isJson;
  }

  Screen screen() {
    return ((Stint) command.root().userObject()).screen();
  }

  void print(String line) {
    printPart(line + System.lineSeparator());
  }

  /** Prints what need not be a whole line, at once. */
  void printPart(String text) {
    PrintWriter out = command.commandLine().getOut();
    out.print(text);
    if (out.checkError()) {
      throw new OutputLostException();
    }
  }

  void print(List<String> lines) {
    print(String.join(System.lineSeparator(), lines));
  }

  /** Prints the answer as it came if that is wanted, else these words. */
  void print(Answer answer, String words) {
    print(isJson ? answer.text() : words);
  }

  /** Prints what a list has under this name as a table, or says that it is empty. */
  void printList(
      Answer list,
      String name,
      String whenEmpty,
      Function<List<Map<String, @Nullable Object>>, Table> table) {
    if (isJson) {
      print(list.text());
      return;
    }
    List<Map<String, @Nullable Object>> items = list.objects(name);
    if (items.isEmpty()) {
      say(whenEmpty);
      return;
    }
    print(table.apply(items).lines(screen()));
    if (list.string("next_cursor") != null || list.string("next") != null) {
      say("these are the newest " + items.size() + "; see more with --limit");
    }
  }

  /** Says something to the person, beside what the command gives out. */
  void say(String line) {
    PrintWriter err = command.commandLine().getErr();
    err.println(line);
    err.flush();
  }

  private Api api() {
    if (api == null) {
      String secret = Objects.requireNonNullElse(Tokens.token(command, token, tokenFile), "");
      try {
        api = new Api(url, secret, ANSWER_WITHIN);
      } catch (IllegalArgumentException e) {
        throw new SettingException("--url", "must be a URL such as http://localhost:8080");
      }
    }
    return api;
  }

  private Answer good(Answer answer) {
    if (answer.isOk()) {
      return answer;
    }
    throw new RefusedException(
        answer,
        switch (answer.status()) {
          case 401 ->
              "the control plane at "
                  + api().base()
                  + " does not take this token; give its own with --token-file or STINT_API_TOKEN";
          case 404 -> Screen.line(answer.problem()) + adviceWhenUnknown(answer);
          default -> Screen.line(answer.problem());
        });
  }

  private String adviceWhenUnknown(Answer answer) {
    return switch (String.valueOf(answer.string("error"))) {
      case "unknown_job" -> "; see: stint jobs";
      case "unknown_worker" -> "; see: stint workers";
      default -> "; is there a control plane at " + api().base() + "? Say where it is with --url";
    };
  }
}
