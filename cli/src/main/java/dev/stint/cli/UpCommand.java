package dev.stint.cli;

import dev.stint.server.Addresses;
import dev.stint.server.Server;
import dev.stint.server.SettingException;
import dev.stint.server.Settings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stint up}. */
@Command(
    name = "up",
    description = "Runs a control plane and one worker on this machine, in one go.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  stint up",
      "  stint up --addr 127.0.0.1:9090 --data /var/lib/stint --slots 4",
      "",
      ExitCodes.HEADING,
      "  0  stopped as told (SIGTERM, SIGHUP or Ctrl-C)",
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE,
      ExitCodes.DATABASE_LINE,
      ExitCodes.ADDRESS_LINE,
      ExitCodes.REFUSED_LINE,
      ExitCodes.STATE_IN_USE_LINE,
      "  130  told twice: it ended all jobs and stopped at once"
    })
final class UpCommand implements Callable<Integer> {
  private static final String USUAL_URL = "http://127.0.0.1:8080";
  private static final int MOST_SLOTS = 1_000;

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Mixin
  @SuppressWarnings("NullAway.Init") // set by picocli
  private ListenOptions listen;

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      defaultValue = "./data",
      description =
          "Where to keep the database (stint.db) and what jobs print (worker-logs). Default"
              + " ${DEFAULT-VALUE}. [STINT_DATA]")
  private Path data = Path.of("");

  @Option(
      names = "--slots",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many jobs to run at once. Default ${DEFAULT-VALUE}. [STINT_SLOTS]")
  private int slots;

  @Mixin private final LogOptions log = new LogOptions();

  @Override
  public Integer call() {
    log.configure();
    if (slots < 1 || slots > MOST_SLOTS) {
      throw new SettingException("--slots", "must be 1 to " + MOST_SLOTS + ", not " + slots);
    }
    Settings settings =
        Settings.standard(
            listen.address(), folder().resolve("stint.db").toString(), listen.token());
    try (Server server = Server.start(settings, List.of())) {
      String url = Addresses.url(settings, server.port());
      String secret = Objects.requireNonNullElse(settings.token(), Settings.DEV_TOKEN);
      LocalWorker worker = LocalWorker.start(url, secret, slots, folder());
      Signals.stopWith(
          () -> {
            worker.drain();
            server.drain();
          },
          worker::killAll);
      announce(url, settings);
      Thread.ofPlatform().name("server-end").daemon().start(() -> endWith(server, worker));
      if (!worker.awaitEnd()) {
        return ExitCodes.REFUSED;
      }
      return server.awaitEnd() ? Signals.exitCode() : ExitCodes.UNEXPECTED;
    }
  }

  /** Without its control plane the worker has nothing to do. */
  private static void endWith(Server server, LocalWorker worker) {
    server.awaitEnd();
    worker.drain();
  }

  private Path folder() {
    try {
      return Files.createDirectories(data.toAbsolutePath().normalize());
    } catch (IOException e) {
      throw new SettingException("--data", "cannot make the folder " + data);
    }
  }

  private void announce(String url, Settings settings) {
    PrintWriter out = spec.commandLine().getOut();
    out.println("stint listens on " + url + ", and a worker is with it");
    out.println("its data is in " + folder());
    out.println("its dashboard is at " + Places.dashboard(url));
    out.println(
        "try: "
            + (settings.token() == null ? "" : "STINT_API_TOKEN=… ")
            + "stint submit "
            + (url.equals(USUAL_URL) ? "" : "--url " + url + " ")
            + "-- echo hello");
    out.flush();
  }
}
