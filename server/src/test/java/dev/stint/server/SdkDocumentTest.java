package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** The example of docs/sdk.md, compiled and run as it stands there. */
@Timeout(120)
class SdkDocumentTest {
  @Test
  @ResourceLock(Resources.SYSTEM_OUT)
  void theExampleDoesWhatTheTextSays(@TempDir Path folder) throws Exception {
    String page = Files.readString(Path.of("../docs/sdk.md"));
    Matcher example = Pattern.compile("(?s)```java\n(.*?)```").matcher(page);
    assertThat(example.find()).isTrue();
    Path source = Files.writeString(folder.resolve("Squares.java"), example.group(1));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path", ""));
    assertThat(compiler.run(null, null, null, "-cp", classPath, source.toString())).isZero();

    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    try (TestServer server = TestServer.start(folder);
        URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      Method main = loader.loadClass("Squares").getMethod("main", String[].class);
      main.invoke(null, (Object) new String[] {"http://127.0.0.1:" + server.port()});
    } finally {
      System.setOut(before);
    }
    String said = printed.toString(StandardCharsets.UTF_8).strip();
    assertThat(page).contains("it prints `" + said + "`");
    assertThat(said).isEqualTo("done {square=9801}");
  }
}
