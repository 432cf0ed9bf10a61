package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A control plane and its worker in one process, with commands in others, all of them real. */
class UpProcessTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void aJobRunsAndItsOutputCanBeReadAndFollowed() throws Exception {
    try (StintProcess up = start(Map.of(), "up", "--addr", "127.0.0.1:0")) {
      String listens = up.line();
      assertThat(listens).startsWith("stint listens on http://127.0.0.1:");
      String url = listens.replaceFirst("^stint listens on ([^ ,]+).*", "$1");
      assertThat(up.line()).isEqualTo("its data is in " + folder.toRealPath().resolve("data"));
      assertThat(up.line()).isEqualTo("its dashboard is at " + url + "/ui");
      assertThat(up.line()).isEqualTo("try: stint submit --url " + url + " -- echo hello");
      Map<String, String> there = Map.of("STINT_URL", url);

      String id;
      try (StintProcess submit =
          start(there, "submit", "--wait", "sh", "-c", "echo 'hello  ä'; echo oh >&2; exit 3")) {
        id = submit.line();
        assertThat(submit.exitCode()).isEqualTo(3);
        assertThat(submit.errors()).contains("FAILED").hasLineCount(1);
      }
      assertThat(output(there, "logs", id)).isEqualTo("hello  ä");
      assertThat(output(there, "logs", id, "--stderr")).isEqualTo("oh");
      assertThat(folder.resolve("data/stint.db")).exists();
      assertThat(folder.resolve("data/worker-logs")).isNotEmptyDirectory();

      Path gate = folder.resolve("gate");
      String slow =
          output(
              there,
              "submit",
              "sh",
              "-c",
              "echo begun; until [ -e \"$0\" ]; do sleep 0.1; done; echo done",
              gate.toString());
      try (StintProcess follow = start(there, "logs", "-f", slow)) {
        assertThat(follow.line()).isEqualTo("begun");
        Files.createFile(gate);
        assertThat(follow.line()).isEqualTo("done");
        assertThat(follow.exitCode()).isZero();
      }
    }
  }

  @Test
  void toldToStopItLetsTheJobEndFirstAndExitsWithZero() throws Exception {
    Path begun = folder.resolve("begun");
    Path ended = folder.resolve("ended");
    try (StintProcess up = start(Map.of(), "up", "--addr", "127.0.0.1:0", "--data", "d")) {
      Map<String, String> there =
          Map.of("STINT_URL", up.line().replaceFirst("^stint listens on ([^ ,]+).*", "$1"));
      output(there, "submit", "sh", "-c", "touch " + begun + "; sleep 1; touch " + ended);
      while (!Files.exists(begun)) {
        Thread.sleep(20);
      }

      up.signal("TERM");

      assertThat(up.exitCode()).isZero();
      assertThat(ended).exists();
    }
  }

  @Test
  void withoutItsControlPlaneItLetsTheJobEndAndExitsWithOne() throws Exception {
    Path begun = folder.resolve("begun");
    Path ended = folder.resolve("ended");
    try (StintProcess up = start(Map.of(), "up", "--addr", "127.0.0.1:0")) {
      String url = up.line().replaceFirst("^stint listens on ([^ ,]+).*", "$1");
      output(
          Map.of("STINT_URL", url),
          "submit",
          "sh",
          "-c",
          "touch " + begun + "; sleep 3; touch " + ended);
      while (!Files.exists(begun)) {
        Thread.sleep(20);
      }

      up.crowd(URI.create(url).getPort());

      assertThat(up.exitCode()).isEqualTo(1);
      assertThat(ended).exists();
    }
  }

  @Test
  void aStateFileThatAnotherWorkerHasIsExitCode8AndOneLineThatNamesIt() throws Exception {
    Path data = Files.createDirectory(folder.resolve("data"));
    try (FileChannel state =
            FileChannel.open(
                data.resolve("worker-state.json.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock _ = state.lock();
        StintProcess up = start(Map.of(), "up", "--addr", "127.0.0.1:0")) {
      assertThat(up.exitCode()).isEqualTo(8);
      assertThat(up.errors()).matches("stint: .*worker-state.json.*\n");
    }
  }

  private String output(Map<String, String> environment, String... arguments) throws Exception {
    try (StintProcess stint = start(environment, arguments)) {
      String line = stint.line();
      assertThat(stint.exitCode()).isZero();
      return line;
    }
  }

  private StintProcess start(Map<String, String> environment, String... arguments)
      throws IOException {
    return StintProcess.start(folder, environment, arguments);
  }
}
