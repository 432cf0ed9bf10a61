package dev.stint.cli;

import dev.stint.bench.BenchCommand;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The program. */
@Command(
    name = "stint",
    description = "A durable job control plane.",
    versionProvider = Stint.Version.class,
    mixinStandardHelpOptions = true,
    footerHeading = "%nTo complete commands with the tab key: source <(stint completion)%n%n",
    footer = {
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.DATABASE_LINE,
      ExitCodes.ADDRESS_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.UNREACHABLE_LINE,
      ExitCodes.NO_LOG_LINE,
      ExitCodes.STATE_IN_USE_LINE,
      "  others  those of a job that was waited for: see stint submit --help"
    })
public final class Stint implements Runnable {
  private static final List<String> COMMANDS =
      List.of(
          "up",
          "server",
          "worker",
          "submit",
          "jobs",
          "job",
          "logs",
          "tail",
          "workers",
          "events",
          "abort",
          "top",
          "queues",
          "dead",
          "explain",
          "retry",
          "cancel",
          "pause",
          "resume",
          "drain",
          "redis",
          "token",
          "dispatch-secret",
          "bench",
          "train",
          "rehearse",
          "completion",
          "help");

  private static final int LEAST_HELP_WIDTH = 80;
  private static final int MOST_HELP_WIDTH = 120;

  private final Screen screen;

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  private Stint(Screen screen) {
    this.screen = screen;
  }

  public static void main(String[] args) {
    // A command is made only when it is called for: its options cost more time than most answers.
    List<String> needed =
        args.length > 0 && COMMANDS.contains(args[0]) && !args[0].equals("help")
            ? List.of(args[0])
            : COMMANDS;
    Screen screen = Screen.of(System.getenv(), System.getProperties());
    StandardOutput stdout = new StandardOutput();
    System.setOut(new PrintStream(stdout, false, StandardCharsets.UTF_8));
    PrintWriter out = writer(System.out);
    PrintWriter err = writer(new FileOutputStream(FileDescriptor.err));
    int code = commandLine(System.getenv(), screen, needed).setOut(out).setErr(err).execute(args);
    // A service that was told to stop ends with how that went, whoever read what it printed.
    if (out.checkError() && !Signals.areGiven()) {
      code = ExitCodes.UNEXPECTED;
      if (!stdout.isReaderGone()) {
        err.println("stint: cannot write to standard output: " + stdout.problem());
      }
    }
    System.exit(code);
  }

  /** The whole command line, away from any terminal. */
  public static CommandLine commandLine(Map<String, String> environment) {
    return commandLine(environment, Screen.NONE, COMMANDS);
  }

  static CommandLine commandLine(
      Map<String, String> environment, Screen screen, List<String> commands) {
    CommandLine stint = new CommandLine(new Stint(screen));
    for (String name : commands) {
      CommandLine command = subcommand(name, environment);
      command.getCommandSpec().versionProvider(new Version());
      stint.addSubcommand(name, command);
    }
    return stint
        .setExpandAtFiles(false)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpWidth(Math.clamp(screen.columns(), LEAST_HELP_WIDTH, MOST_HELP_WIDTH))
        .setColorScheme(
            CommandLine.Help.defaultColorScheme(screen.hasColours() ? Ansi.ON : Ansi.OFF))
        .setParameterExceptionHandler(Stint::refuse)
        .setExecutionExceptionHandler(Problems::tell);
  }

  private static CommandLine subcommand(String name, Map<String, String> environment) {
    return switch (name) {
      case "up" -> service(new UpCommand(), environment);
      case "server" -> service(new ServerCommand(), environment);
      case "worker" -> service(new WorkerCommand(), environment).setStopAtPositional(true);
      case "submit" -> client(new SubmitCommand(), environment).setStopAtPositional(true);
      case "jobs" -> client(new JobsCommand(), environment);
      case "job" -> client(new JobCommand(), environment);
      case "logs" -> hiding("--json", client(new LogsCommand(), environment));
      case "tail" -> client(new TailCommand(), environment);
      case "workers" -> client(new WorkersCommand(), environment);
      case "events" -> client(new EventsCommand(), environment);
      case "abort" -> client(new AbortCommand(), environment);
      case "top" -> client(new TopCommand(), environment);
      case "queues" -> client(new QueuesCommand(), environment);
      case "dead" -> client(new DeadCommand(), environment);
      case "explain" -> client(new ExplainCommand(), environment);
      case "retry" -> client(new RetryCommand(), environment);
      case "cancel" -> client(new CancelCommand(), environment);
      case "pause" -> client(new PauseCommand(), environment);
      case "resume" -> client(new ResumeCommand(), environment);
      case "drain" -> client(new DrainCommand(), environment);
      case "redis" -> client(new RedisCommand(), environment);
      case "token" -> service(new TokenCommand(), environment);
      case "dispatch-secret" -> service(new DispatchSecretCommand(), environment);
      case "bench" -> new CommandLine(new BenchCommand());
      case "train" -> new CommandLine(new TrainCommand());
      case "rehearse" -> new CommandLine(new RehearseCommand());
      case "completion" -> new CommandLine(new CompletionCommand());
      case "help" -> new CommandLine(new HelpCommand());
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static CommandLine service(Object command, Map<String, String> environment) {
    return new CommandLine(command).setDefaultValueProvider(new Environment(environment));
  }

  private static CommandLine client(Object command, Map<String, String> environment) {
    return new CommandLine(command).setDefaultValueProvider(Environment.ofClient(environment));
  }

  /** Where a command refuses an option that it shares with others, it does not offer it either. */
  private static CommandLine hiding(String name, CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    OptionSpec option = spec.findOption(name);
    spec.remove(option).addOption(option.toBuilder().hidden(true).build());
    return command;
  }

  /** In UTF-8 whatever the locale: what the control plane's JSON is, and what terminals speak. */
  private static PrintWriter writer(OutputStream target) {
    return new PrintWriter(target, true, StandardCharsets.UTF_8);
  }

  Screen screen() {
    return screen;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "what shall it do? Try: stint help");
  }

  /** One line that says what is wrong, and not the whole manual. */
  private static int refuse(ParameterException e, String[] args) {
    PrintWriter err = e.getCommandLine().getErr();
    CommandSpec command = e.getCommandLine().getCommandSpec();
    String problem =
        e instanceof UnmatchedArgumentException && command.parent() == null && args.length > 0
            ? "there is no " + Screen.line(args[0])
            : Objects.requireNonNullElse(e.getMessage(), "wrong option");
    String advice =
        e instanceof UnmatchedArgumentException
            ? "; see: " + command.qualifiedName() + " --help"
            : "";
    err.println("stint: " + problem + advice);
    err.flush();
    return ExitCodes.BAD_SETTING;
  }

  /** Reads the version that the build wrote into the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Stint.class.getPackage().getImplementationVersion();
      return new String[] {"stint " + Objects.requireNonNullElse(version, "(unpackaged)")};
    }
  }
}
