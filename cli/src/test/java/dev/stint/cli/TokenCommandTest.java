package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.client.Api;
import dev.stint.server.Server;
import dev.stint.server.Settings;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Tokens made on the command line, tried on a real server. */
class TokenCommandTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";

  @TempDir private Path folder;

  private record Printed(int code, String out, String err) {}

  @Test
  void aTokenSignedWithWhatTheDatabaseKeepsOpensWhatItsRoleMay() throws Exception {
    String db = folder.resolve("stint.db").toString();
    try (Server server = Server.start(Settings.local(db), List.of())) {
      Printed worker = stint("token", "--role", "worker", "--subject", "w1", "--db", db);
      Printed admin = stint("token", "--role=admin", "--subject=me", "--ttl=90s", "--db=" + db);
      assertThat(worker.code).as(worker.err).isZero();
      assertThat(worker.out.strip()).matches("[\\w-]+\\.[\\w-]+\\.[\\w-]+");

      assertThat(status(server, worker.out, "/next-job?worker_id=w1")).isEqualTo(204);
      assertThat(status(server, worker.out, "/next-job?worker_id=w2")).isEqualTo(403);
      assertThat(status(server, worker.out, "/jobs")).isEqualTo(403);
      assertThat(status(server, admin.out, "/jobs")).isEqualTo(200);
    }
  }

  @Test
  void aSecretMayBeGivenInstead() throws Exception {
    Path file = Files.writeString(folder.resolve("secret"), SECRET + "\n");
    Settings settings =
        Settings.local(folder.resolve("stint.db").toString())
            .withSecurity(new Settings.Security(SECRET, null, 60, null));
    try (Server server = Server.start(settings, List.of())) {
      Printed producer =
          stint("token", "--role=producer", "--subject=ci", "--jwt-secret-file=" + file);
      assertThat(status(server, producer.out, "/jobs")).isEqualTo(200);
      assertThat(status(server, producer.out, "/api/v1/admin/workers")).isEqualTo(403);
    }
  }

  @Test
  void aSecretFileGivenAsAFlagGoesBeforeAVariableWithASecret() throws Exception {
    Path file = Files.writeString(folder.resolve("secret"), SECRET + "\n");
    Map<String, String> tooShort = Map.of("STINT_JWT_SECRET", "short");
    Printed printed =
        stint(tooShort, "token", "--role=admin", "--subject=me", "--jwt-secret-file=" + file);
    assertThat(printed.code).as(printed.err).isZero();
    assertThat(stint(tooShort, "token", "--role=admin", "--subject=me").code).isEqualTo(2);
  }

  @Test
  void theSecretOfDeliveriesIsPrintedAlone() {
    String db = folder.resolve("stint.db").toString();
    assertThat(stint("dispatch-secret", "--db", db).code).isEqualTo(2);
    try (Server server = Server.start(Settings.local(db), List.of())) {
      Printed first = stint("dispatch-secret", "--db", db);
      assertThat(first.code).as(first.err).isZero();
      assertThat(first.out.strip()).matches("[0-9a-f]{64}");
      assertThat(stint("dispatch-secret", "--db", db).out).isEqualTo(first.out);
      assertThat(server.port()).isPositive();
    }
  }

  @Test
  void whatIsWrongIsToldInOneLine() {
    String none = folder.resolve("none.db").toString();
    for (String[] wrong :
        new String[][] {
          {"--role=king", "--subject=x", "--jwt-secret=" + SECRET},
          {"--role=worker", "--subject= ", "--jwt-secret=" + SECRET},
          {"--role=worker", "--subject=x", "--ttl=soon", "--jwt-secret=" + SECRET},
          {"--role=worker", "--subject=x", "--ttl=0s", "--jwt-secret=" + SECRET},
          {"--role=worker", "--subject=x", "--ttl=99999d", "--jwt-secret=" + SECRET},
          {"--role=worker", "--subject=x", "--jwt-secret=short"},
          {"--role=worker", "--subject=x", "--jwt-secret=" + SECRET, "--jwt-secret-file=x"},
          {"--role=worker", "--subject=x", "--db=" + none},
          {"--role=worker"}
        }) {
      String[] arguments = new String[wrong.length + 1];
      arguments[0] = "token";
      System.arraycopy(wrong, 0, arguments, 1, wrong.length);
      Printed printed = stint(arguments);
      assertThat(printed.code).as(List.of(wrong).toString()).isEqualTo(2);
      assertThat(printed.out).isEmpty();
      assertThat(printed.err.lines()).hasSize(1);
      assertThat(printed.err).doesNotContain(SECRET);
    }
    assertThat(Path.of(none)).doesNotExist();
  }

  private static int status(Server server, String token, String path) throws Exception {
    String url = "http://127.0.0.1:" + server.port();
    return new Api(url, token.strip(), Duration.ofSeconds(20)).get(path).status();
  }

  private static Printed stint(String... arguments) {
    return stint(Map.of(), arguments);
  }

  private static Printed stint(Map<String, String> environment, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine stint = Stint.commandLine(environment);
    int code = stint.setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(arguments);
    return new Printed(code, out.toString(), err.toString());
  }
}
