package dev.stint.cli;

import dev.stint.server.Addresses;
import dev.stint.server.CallbackSettings;
import dev.stint.server.Server;
import dev.stint.server.SettingException;
import dev.stint.server.Settings;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the control plane until it is told to stop. */
@Command(
    name = "server",
    description = "Runs the control plane.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footerHeading = "%nExit codes:%n",
    footer = {
      "  0  stopped as told (SIGTERM, SIGHUP or Ctrl-C)",
      "  1  something unexpected",
      "  2  a wrong option or setting",
      "  3  the database cannot be used",
      "  4  the address cannot be listened on",
      "  130  told twice: it stopped at once"
    })
final class ServerCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Mixin
  @SuppressWarnings("NullAway.Init") // set by picocli
  private ListenOptions listen;

  @Option(
      names = {"--db", "-db"},
      paramLabel = "FILE|URL",
      defaultValue = "./stint.db",
      description =
          "The database: an SQLite file, or jdbc:postgresql:… Default ${DEFAULT-VALUE}."
              + " [STINT_DB, STINT_DB_PATH, HDCF_DB_PATH]")
  private String db = "";

  @Option(
      names = "--redis",
      paramLabel = "URL",
      description =
          "Mirror jobs in this Redis, and let workers take them from its streams: redis://… or"
              + " rediss://… Default: none. [STINT_REDIS]")
  private @Nullable String redis;

  @Option(
      names = "--native-lease-seconds",
      paramLabel = "N",
      defaultValue = "300",
      description =
          "How long a worker that reads Redis itself keeps a job without a sign of life. Default"
              + " ${DEFAULT-VALUE}. [STINT_NATIVE_LEASE_SECONDS]")
  private int nativeLeaseSeconds;

  @Option(
      names = "--lease-ttl-seconds",
      paramLabel = "N",
      defaultValue = "60",
      description =
          "How long a worker keeps a job without a heartbeat. Default ${DEFAULT-VALUE}."
              + " [STINT_LEASE_TTL_SECONDS]")
  private int leaseTtlSeconds;

  @Option(
      names = "--tasks",
      paramLabel = "A,B",
      split = ",",
      defaultValue = "chat,plan,code,tool,rag,embed",
      description =
          "The tasks that /v1/jobs takes jobs for. Default ${DEFAULT-VALUE}. [STINT_TASKS]")
  private List<String> tasks = List.of();

  @Option(
      names = "--max-queue-depth",
      paramLabel = "N",
      defaultValue = "100000",
      description =
          "Submissions get 429 while this many jobs wait in a queue. Default ${DEFAULT-VALUE}."
              + " [STINT_MAX_QUEUE_DEPTH]")
  private long maxQueueDepth;

  @Option(
      names = "--job-ttl-s",
      paramLabel = "N",
      defaultValue = "3600",
      description =
          "How many seconds a /v1/jobs job is kept after its last change, if it does not say"
              + " itself. Default ${DEFAULT-VALUE}. [STINT_JOB_TTL_S, JOB_TTL_S]")
  private long jobTtlSeconds;

  @Option(
      names = "--cancel-grace-seconds",
      paramLabel = "N",
      defaultValue = "30",
      description =
          "How long a running job may take to stop when it is cancelled. Default"
              + " ${DEFAULT-VALUE}. [STINT_CANCEL_GRACE_SECONDS]")
  private int cancelGraceSeconds;

  @Option(
      names = "--retention-days",
      paramLabel = "N",
      defaultValue = "7",
      description =
          "How long ended jobs without a TTL are kept. Default ${DEFAULT-VALUE}."
              + " [STINT_RETENTION_DAYS]")
  private int retentionDays;

  @Option(
      names = "--max-readers",
      paramLabel = "N",
      defaultValue = "10000",
      description =
          "How many may read the events of jobs at once; others get 429. Default"
              + " ${DEFAULT-VALUE}. [STINT_MAX_READERS]")
  private int maxReaders;

  @Option(
      names = "--max-output-bytes",
      paramLabel = "N",
      defaultValue = "1048576",
      description =
          "How much output a job may give while it runs. Default ${DEFAULT-VALUE}."
              + " [STINT_MAX_OUTPUT_BYTES]")
  private long maxOutputBytes;

  @Option(
      names = "--heartbeat-timeout-seconds",
      paramLabel = "N",
      defaultValue = "60",
      description =
          "A fleet worker that is silent for so long has lost what it runs. Default"
              + " ${DEFAULT-VALUE}."
              + " [STINT_HEARTBEAT_TIMEOUT_SECONDS, HDCF_HEARTBEAT_TIMEOUT_SECONDS]")
  private int heartbeatTimeoutSeconds;

  @Option(
      names = "--reconcile-interval-seconds",
      paramLabel = "N",
      defaultValue = "10",
      description =
          "How long a lost fleet job waits before it is taken up again. Default ${DEFAULT-VALUE}."
              + " [STINT_RECONCILE_INTERVAL_SECONDS, HDCF_RECONCILE_INTERVAL_SECONDS]")
  private int reconcileIntervalSeconds;

  @Option(
      names = "--assignment-ttl-seconds",
      paramLabel = "N",
      defaultValue = "30",
      description =
          "Within which a fleet worker must acknowledge a job it was given, and a callback worker"
              + " say that it began. Default ${DEFAULT-VALUE}. [STINT_ASSIGNMENT_TTL_SECONDS, HDCF_ASSIGNMENT_TTL_SECONDS]")
  private int assignmentTtlSeconds;

  @Option(
      names = "--public-url",
      paramLabel = "URL",
      description =
          "Where the workers of callback tasks reach this server. Default: where it listens."
              + " [STINT_PUBLIC_URL]")
  private @Nullable String publicUrl;

  @Option(
      names = "--dispatch-allow",
      paramLabel = "URL,URL",
      split = ",",
      description =
          "Callback tasks may be delivered to URLs that begin with one of these. Default: none."
              + " [STINT_DISPATCH_ALLOW]")
  private List<String> dispatchAllow = List.of();

  @Option(
      names = "--dispatch-timeout-seconds",
      paramLabel = "N",
      defaultValue = "10",
      description =
          "Within which the receiver of a delivery must answer. Default ${DEFAULT-VALUE}."
              + " [STINT_DISPATCH_TIMEOUT_SECONDS]")
  private int dispatchTimeoutSeconds;

  @Mixin
  @SuppressWarnings("NullAway.Init") // set by picocli
  private DispatchSecretOptions dispatch;

  @Mixin
  @SuppressWarnings("NullAway.Init") // set by picocli
  private JwtSecretOptions jwt;

  @Option(
      names = "--previous-jwt-secret",
      paramLabel = "SECRET",
      description =
          "Tokens signed with this one are still taken, so that a secret can be replaced."
              + " [STINT_PREVIOUS_JWT_SECRET]")
  private @Nullable String previousJwtSecret;

  @Option(
      names = "--max-failed-logins",
      paramLabel = "N",
      defaultValue = "60",
      description =
          "An address may send so many wrong credentials a minute, then it has to wait. Default"
              + " ${DEFAULT-VALUE}. [STINT_MAX_FAILED_LOGINS]")
  private int maxFailedLogins;

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "Speak HTTPS with this certificate (PEM, with its chain). [STINT_TLS_CERT]")
  private @Nullable Path tlsCert;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "The certificate's private key (PEM, PKCS#8). [STINT_TLS_KEY]")
  private @Nullable Path tlsKey;

  @Mixin private final LogOptions log = new LogOptions();

  @Override
  public Integer call() {
    log.configure();
    Settings settings = settings();
    Server server = Server.start(settings, List.of());
    Signals.stopWith(server::drain);
    announce(settings, server.port());
    return server.awaitEnd() ? ExitCodes.OK : ExitCodes.UNEXPECTED;
  }

  private Settings.Security.@Nullable Tls tls() {
    if (tlsCert == null && tlsKey == null) {
      return null;
    }
    if (tlsCert == null || tlsKey == null) {
      throw new SettingException(
          tlsCert == null ? "--tls-cert" : "--tls-key", "give both, the certificate and its key");
    }
    return new Settings.Security.Tls(tlsCert, tlsKey);
  }

  private Settings settings() {
    return new Settings(
        listen.address(),
        db,
        listen.token(),
        leaseTtlSeconds,
        Set.copyOf(tasks.stream().map(String::strip).filter(task -> !task.isEmpty()).toList()),
        maxQueueDepth,
        jobTtlSeconds,
        cancelGraceSeconds,
        retentionDays,
        new Settings.Fleet(heartbeatTimeoutSeconds, reconcileIntervalSeconds, assignmentTtlSeconds),
        new CallbackSettings(
            publicUrl,
            dispatchAllow.stream().map(String::strip).filter(one -> !one.isEmpty()).toList(),
            dispatch.secret(),
            dispatchTimeoutSeconds),
        new Settings.Streams(maxReaders, maxOutputBytes, Settings.Streams.COMMENT_MS),
        new Settings.Security(jwt.secret(), previousJwtSecret, maxFailedLogins, tls()),
        Settings.redis(redis, nativeLeaseSeconds));
  }

  private void announce(Settings settings, int port) {
    boolean isEverywhere = settings.address().getAddress().isAnyLocalAddress();
    String url = Addresses.url(settings, port);
    PrintWriter out = spec.commandLine().getOut();
    out.println("stint listens on " + url + (isEverywhere ? " and all other addresses" : ""));
    out.println("its data is in " + Places.of(settings.db()));
    out.println("its dashboard is at " + Places.dashboard(url));
    out.println("try: curl " + authorization(settings) + trial(url));
    out.flush();
  }

  private static String authorization(Settings settings) {
    return settings.token() == null ? "" : "-H \"X-API-Token: $STINT_API_TOKEN\" ";
  }

  private String trial(String url) {
    return "-H 'Content-Type: application/json' -d '{\"task\":\""
        + tasks.getFirst()
        + "\",\"payload\":{}}' "
        + url
        + "/v1/jobs";
  }
}
