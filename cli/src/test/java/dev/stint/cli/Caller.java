package dev.stint.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Somebody who types commands for one control plane. */
record Caller(String url) {

  /** What a command gave back. */
  record Result(int code, String out, String err) {
    /** All that it printed, without the end of the line. */
    String line() {
      return out.strip();
    }
  }

  Result run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code = run(out, err, arguments);
    return new Result(code, out.toString(), err.toString());
  }

  int run(StringWriter out, StringWriter err, String... arguments) {
    return Stint.commandLine(Map.of("STINT_URL", url))
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  /** A command that takes its time. */
  Pending start(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    return new Pending(
        CompletableFuture.supplyAsync(
            () -> run(out, err, arguments), task -> Thread.startVirtualThread(task)),
        out,
        err);
  }

  /** A command that is under way. */
  record Pending(CompletableFuture<Integer> code, StringWriter out, StringWriter err) {
    /** The first line on standard output, once it is there. */
    String firstLine() throws InterruptedException {
      while (!out.toString().contains("\n")) {
        if (code.isDone()) {
          throw new AssertionError("it ended with " + code.join() + ": " + err);
        }
        Thread.sleep(20);
      }
      return out.toString().lines().findFirst().orElseThrow();
    }

    void awaitError(String text) throws InterruptedException {
      while (!err.toString().contains(text)) {
        if (code.isDone()) {
          throw new AssertionError("it ended with " + code.join() + ": " + err);
        }
        Thread.sleep(20);
      }
    }

    int exitCode() throws Exception {
      return code.get(60, TimeUnit.SECONDS);
    }
  }
}
