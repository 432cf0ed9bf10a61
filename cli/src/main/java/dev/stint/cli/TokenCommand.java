package dev.stint.cli;

import dev.stint.contracts.Access;
import dev.stint.server.SettingException;
import dev.stint.server.Tokens;
import dev.stint.storage.Stores;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Makes a token without asking the server: whoever can read its secret may. */
@Command(
    name = "token",
    description = "Makes a signed token (JWT) and prints it alone.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Signs with --jwt-secret if it is given, else with the secret that the server on --db keeps",
      "there. A worker's token opens only what is for workers, and only in the name of --subject;",
      "a worker that was registered at /api/v1/admin/workers has the token it was given there and",
      "takes no other.",
      "",
      "Example:",
      "  export STINT_API_TOKEN=$(stint token --role worker --subject gpu-box --ttl 30d)",
      "  stint worker --worker-id gpu-box --control-url http://first-machine:8080",
      "",
      "Exit codes:",
      "  0  printed",
      "  2  a wrong option, or no secret to sign with",
      "  3  the database cannot be used"
    })
final class TokenCommand implements Callable<Integer> {
  private static final Pattern TTL = Pattern.compile("(\\d{1,9})([smhd])");
  private static final Duration MAX_TTL = Duration.ofDays(3_660);

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      required = true,
      description = "admin (everything), producer (jobs and lists) or worker.")
  private String role = "";

  @Option(
      names = "--subject",
      paramLabel = "NAME",
      required = true,
      description = "Whom it is for; for a worker, its worker id.")
  private String subject = "";

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      defaultValue = "24h",
      description = "How long it is valid: 90s, 15m, 24h, 30d. Default ${DEFAULT-VALUE}.")
  private String ttl = "";

  @Option(
      names = {"--db", "-db"},
      paramLabel = "FILE|URL",
      defaultValue = "./stint.db",
      description =
          "The server's database. Default ${DEFAULT-VALUE}."
              + " [STINT_DB, STINT_DB_PATH, HDCF_DB_PATH]")
  private String db = "";

  @Mixin
  @SuppressWarnings("NullAway.Init") // set by picocli
  private JwtSecretOptions jwt;

  @Override
  public Integer call() {
    if (subject.isBlank() || subject.length() > 200) {
      throw new SettingException("--subject", "must have 1 to 200 characters");
    }
    String token = new Tokens(List.of(secret()), Clock.systemUTC()).issue(role(), subject, life());
    spec.commandLine().getOut().println(token);
    spec.commandLine().getOut().flush();
    return 0;
  }

  private Access.Role role() {
    return switch (role.toLowerCase(Locale.ROOT)) {
      case "admin" -> Access.Role.ADMIN;
      case "producer" -> Access.Role.PRODUCER;
      case "worker" -> Access.Role.WORKER;
      default -> throw new SettingException("--role", "must be admin, producer or worker");
    };
  }

  private Duration life() {
    Matcher matcher = TTL.matcher(ttl);
    if (matcher.matches()) {
      long number = Long.parseLong(matcher.group(1));
      Duration life =
          switch (matcher.group(2)) {
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
          };
      if (life.isPositive() && life.compareTo(MAX_TTL) <= 0) {
        return life;
      }
    }
    throw new SettingException("--ttl", "must be like 90s, 15m, 24h or 30d, and at most 10 years");
  }

  private String secret() {
    String given = jwt.secret();
    if (given != null) {
      return given;
    }
    return Stores.setting(db, Tokens.SECRET_SETTING)
        .orElseThrow(() ->
            new SettingException(
                "--db",
                "there is no secret in "
                    + Places.of(db)
                    + " yet; start the server on it once, or give --jwt-secret"));
  }
}
