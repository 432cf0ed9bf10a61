package dev.stint.cli;

import dev.stint.server.SettingException;
import dev.stint.server.dispatch.Dispatcher;
import dev.stint.storage.Stores;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows what a receiver has to know to check deliveries: whoever can read the database may. */
@Command(
    name = "dispatch-secret",
    description = "Prints the secret that the server on --db signs its deliveries with.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "A server that was started with --dispatch-secret signs with that one instead.",
      "",
      "Exit codes:",
      "  0  printed",
      "  2  a wrong option, or there is no secret yet",
      "  3  the database cannot be used"
    })
final class DispatchSecretCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = {"--db", "-db"},
      paramLabel = "FILE|URL",
      defaultValue = "./stint.db",
      description =
          "The server's database. Default ${DEFAULT-VALUE}."
              + " [STINT_DB, STINT_DB_PATH, HDCF_DB_PATH]")
  private String db = "";

  @Override
  public Integer call() {
    String secret =
        Stores.setting(db, Dispatcher.SECRET_SETTING)
            .orElseThrow(() ->
                new SettingException(
                    "--db",
                    "there is no secret in "
                        + Places.of(db)
                        + " yet; start the server on it once"));
    spec.commandLine().getOut().println(secret);
    spec.commandLine().getOut().flush();
    return 0;
  }
}
