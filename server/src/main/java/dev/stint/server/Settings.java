package dev.stint.server;

import dev.stint.redis.RedisAddress;
import dev.stint.redis.RedisSettings;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All that can be set.
 *
 * @param address where to listen; port 0 takes a free one
 * @param db a file, or the URL of a PostgreSQL database
 * @param token the API token, or null if none was given: then {@link #DEV_TOKEN}, and only on this
 *     machine
 * @param tasks that the gateway takes jobs for
 * @param maxQueueDepth jobs are refused for a queue in which this many wait
 * @param jobTtlSeconds of gateway jobs that do not bring their own
 * @param redis that jobs are mirrored in, or null for none
 */
public record Settings(
    InetSocketAddress address,
    String db,
    @Nullable String token,
    int leaseTtlSeconds,
    Set<String> tasks,
    long maxQueueDepth,
    long jobTtlSeconds,
    int cancelGraceSeconds,
    int retentionDays,
    Fleet fleet,
    CallbackSettings callback,
    Streams streams,
    Security security,
    @Nullable RedisSettings redis) {

  public static final String DEV_TOKEN = "dev-token";

  /**
   * Who is let in, and how.
   *
   * @param jwtSecret that tokens are signed with, or null: then the store has one
   * @param previousJwtSecret whose tokens are still taken
   * @param maxFailedLogins per address and minute
   * @param tls the certificate and its key, or null to speak plain HTTP
   */
  public record Security(
      @Nullable String jwtSecret,
      @Nullable String previousJwtSecret,
      int maxFailedLogins,
      @Nullable Tls tls) {
    public static final Security DEFAULT = new Security(null, null, 60, null);

    /** PEM files. */
    public record Tls(Path certificate, Path key) {}

    public Security {
      longEnough("--jwt-secret", jwtSecret);
      longEnough("--previous-jwt-secret", previousJwtSecret);
      atLeast("--max-failed-logins", maxFailedLogins, 1);
    }

    /** Refuses a secret that could be guessed. */
    public static void longEnough(String setting, @Nullable String secret) {
      if (secret != null && secret.getBytes(StandardCharsets.UTF_8).length < 32) {
        throw new SettingException(
            setting, "must have at least 32 bytes; try: openssl rand -hex 32");
      }
    }

    /** Without the secrets. */
    @Override
    public String toString() {
      return "Security[" + (tls == null ? "http]" : "https]");
    }
  }

  /**
   * The fleet contract's own times.
   *
   * @param heartbeatTimeoutSeconds a worker that is silent for so long has lost what it runs
   * @param reconcileIntervalSeconds how long a lost job waits before it is taken up again
   * @param assignmentTtlSeconds within which a worker must acknowledge a job, or say that it began
   *     with a callback task
   */
  public record Fleet(
      int heartbeatTimeoutSeconds, int reconcileIntervalSeconds, int assignmentTtlSeconds) {
    public static final Fleet DEFAULT = new Fleet(60, 10, 30);

    public Fleet {
      atLeast("--heartbeat-timeout-seconds", heartbeatTimeoutSeconds, 1);
      atLeast("--reconcile-interval-seconds", reconcileIntervalSeconds, 1);
      atLeast("--assignment-ttl-seconds", assignmentTtlSeconds, 1);
    }
  }

  /**
   * What is told of jobs while they run.
   *
   * @param maxReaders how many may read events of jobs at once
   * @param maxOutputBytes how much output a job may give before it is done
   * @param commentMs how often a stream says that it is still there; the contract has this number
   */
  public record Streams(int maxReaders, long maxOutputBytes, long commentMs) {
    public static final long COMMENT_MS = 15_000;
    public static final Streams DEFAULT = new Streams(10_000, 1 << 20, COMMENT_MS);

    public Streams {
      atLeast("--max-readers", maxReaders, 1);
      atLeast("--max-output-bytes", maxOutputBytes, 0);
    }
  }

  public Settings {
    tasks = Set.copyOf(tasks);
    if (address.isUnresolved()) {
      throw new SettingException("--addr", "no such host: " + address.getHostString());
    }
    if (db.isEmpty() || db.matches("(?!jdbc:postgresql:)[a-z]{2,}:.*")) {
      throw new SettingException(
          "--db", "must be a file, or a URL of the form jdbc:postgresql://host/database?user=…");
    }
    if (token == null && !address.getAddress().isLoopbackAddress()) {
      throw new SettingException(
          "--addr",
          "to listen on "
              + Addresses.text(address)
              + ", which other machines can reach, set a token of your own (--token-file, --token"
              + " or STINT_API_TOKEN)");
    }
    sendable("--token", token);
    atLeast("--lease-ttl-seconds", leaseTtlSeconds, 1);
    atLeast("--max-queue-depth", maxQueueDepth, 1);
    atLeast("--job-ttl-s", jobTtlSeconds, 1);
    atLeast("--cancel-grace-seconds", cancelGraceSeconds, 0);
    atLeast("--retention-days", retentionDays, 1);
    if (tasks.isEmpty()) {
      throw new SettingException("--tasks", "must name at least one task");
    }
  }

  /** The defaults, on a free port of this machine. */
  public static Settings local(String db) {
    return standard(Addresses.parse("127.0.0.1:0"), db, null);
  }

  /** The defaults for all else. */
  public static Settings standard(InetSocketAddress address, String db, @Nullable String token) {
    return new Settings(
        address,
        db,
        token,
        60,
        Set.of("chat", "plan", "code", "tool", "rag", "embed"),
        100_000,
        3_600,
        30,
        7,
        Fleet.DEFAULT,
        CallbackSettings.DEFAULT,
        Streams.DEFAULT,
        Security.DEFAULT,
        null);
  }

  public Settings withToken(String newToken) {
    return with(draft -> draft.token = newToken);
  }

  public Settings withFleet(Fleet newFleet) {
    return with(draft -> draft.fleet = newFleet);
  }

  public Settings withCallback(CallbackSettings newCallback) {
    return with(draft -> draft.callback = newCallback);
  }

  public Settings withStreams(Streams newStreams) {
    return with(draft -> draft.streams = newStreams);
  }

  public Settings withSecurity(Security newSecurity) {
    return with(draft -> draft.security = newSecurity);
  }

  public Settings withMaxQueueDepth(long newMaxQueueDepth) {
    return with(draft -> draft.maxQueueDepth = newMaxQueueDepth);
  }

  public Settings withCancelGraceSeconds(int newCancelGraceSeconds) {
    return with(draft -> draft.cancelGraceSeconds = newCancelGraceSeconds);
  }

  public Settings withRedis(String url) {
    return with(draft -> draft.redis = redis(url, RedisSettings.NATIVE_LEASE_SECONDS));
  }

  private Settings with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return new Settings(
        address,
        db,
        draft.token,
        leaseTtlSeconds,
        tasks,
        draft.maxQueueDepth,
        jobTtlSeconds,
        draft.cancelGraceSeconds,
        retentionDays,
        draft.fleet,
        draft.callback,
        draft.streams,
        draft.security,
        draft.redis);
  }

  /** What may be changed of settings that are there. */
  private static final class Draft {
    @Nullable String token;
    long maxQueueDepth;
    int cancelGraceSeconds;
    Fleet fleet;
    CallbackSettings callback;
    Streams streams;
    Security security;
    @Nullable RedisSettings redis;

    Draft(Settings of) {
      token = of.token;
      maxQueueDepth = of.maxQueueDepth;
      cancelGraceSeconds = of.cancelGraceSeconds;
      fleet = of.fleet;
      callback = of.callback;
      streams = of.streams;
      security = of.security;
      redis = of.redis;
    }
  }

  /** Reads the URL of Redis, if there is one. */
  public static @Nullable RedisSettings redis(@Nullable String url, int nativeLeaseSeconds) {
    atLeast("--native-lease-seconds", nativeLeaseSeconds, 1);
    try {
      return url == null ? null : new RedisSettings(RedisAddress.parse(url), nativeLeaseSeconds);
    } catch (IllegalArgumentException e) {
      throw new SettingException("--redis", Objects.requireNonNull(e.getMessage()));
    }
  }

  /** Nobody but this machine can call, and no token was given. */
  boolean isDefaultLocal() {
    return token == null;
  }

  /** Refuses a token that fits into no header. */
  public static void sendable(String setting, @Nullable String token) {
    if (token != null && !token.matches("[!-~]{1,1000}")) {
      throw new SettingException(
          setting, "must be 1 to 1000 visible ASCII characters, as it is sent in a header");
    }
  }

  static void atLeast(String setting, long value, long min) {
    if (value < min) {
      throw new SettingException(setting, "must be at least " + min + ", not " + value);
    }
  }

  /** Without the token and the database's URL, which may have a password in it. */
  @Override
  public String toString() {
    return "Settings[" + Addresses.text(address) + "]";
  }
}
