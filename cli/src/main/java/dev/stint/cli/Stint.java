package dev.stint.cli;

import dev.stint.bench.BenchCommand;
import java.io.PrintWriter;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program. */
@Command(
    name = "stint",
    description = "A durable job control plane.",
    versionProvider = Stint.Version.class,
    mixinStandardHelpOptions = true,
    subcommands = {
      ServerCommand.class,
      WorkerCommand.class,
      TokenCommand.class,
      BenchCommand.class,
      TrainCommand.class,
      HelpCommand.class
    },
    footerHeading = "%nExit codes:%n",
    footer = {
      "  0  all went well",
      "  1  something unexpected",
      "  2  a wrong option or setting",
      "  3  the database cannot be used",
      "  4  the address cannot be listened on",
      "  5  the control plane does not take this worker",
      "  6  another worker uses the state file"
    })
public final class Stint implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  public static void main(String[] args) {
    System.exit(commandLine(System.getenv()).execute(args));
  }

  /** The whole command line. The server and the worker take defaults from the environment. */
  static CommandLine commandLine(Map<String, String> environment) {
    CommandLine stint =
        new CommandLine(new Stint())
            .setParameterExceptionHandler(Stint::refuse)
            .setExecutionExceptionHandler(Problems::tell);
    for (String command : new String[] {"server", "worker", "token"}) {
      Objects.requireNonNull(stint.getSubcommands().get(command))
          .setDefaultValueProvider(new Environment(environment));
    }
    return stint;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "what shall it do? Try: stint help");
  }

  /** One line that says what is wrong, and not the whole manual. */
  private static int refuse(ParameterException e, String[] args) {
    PrintWriter err = e.getCommandLine().getErr();
    err.println("stint: " + Objects.requireNonNullElse(e.getMessage(), "wrong option"));
    err.flush();
    return Problems.BAD_SETTING;
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
