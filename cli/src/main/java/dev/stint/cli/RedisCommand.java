package dev.stint.cli;

import dev.stint.client.Answer;
import dev.stint.client.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stint redis}. */
@Command(
    name = "redis",
    description = "Looks after the Redis beside the database.",
    mixinStandardHelpOptions = true,
    subcommands = RedisCommand.Check.class)
final class RedisCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "what shall it do? Try: stint redis check");
  }

  /** {@code stint redis check}. */
  @Command(
      name = "check",
      description = "Compares Redis with the database, and says what differs.",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      abbreviateSynopsis = true,
      footerHeading = "%nExamples:%n",
      footer = {
        "  stint redis check",
        "  stint redis check --repair",
        "",
        ExitCodes.HEADING,
        "  0  nothing differs, or it has been put right",
        "  1  something differs",
        ExitCodes.BAD_SETTING_LINE,
        ExitCodes.REFUSED_LINE,
        ExitCodes.UNREACHABLE_LINE
      })
  static final class Check implements Callable<Integer> {
    private static final int SHOWN = 100;

    @Option(names = "--repair", description = "Put right what differs, as the database has it.")
    private boolean isRepair;

    @Mixin private final ControlPlane control = new ControlPlane();

    private final List<Map<String, @Nullable Object>> differences = new ArrayList<>();
    private long found;
    private long left;
    private long jobs;

    @Override
    public Integer call() throws IOException {
      Answer part = part(null);
      try (BulkBar bar = BulkBar.on(control.screen(), "compare", part.number("all_jobs", 0))) {
        String next = take(part, bar);
        while (next != null) {
          next = take(part(next), bar);
        }
      }
      tell();
      return left == 0 ? ExitCodes.OK : ExitCodes.UNEXPECTED;
    }

    private Answer part(@Nullable String next) throws IOException {
      if (!isRepair) {
        return control.get(new Query("/v1/redis/check").with("next", next).toString());
      }
      Map<String, @Nullable Object> body = new LinkedHashMap<>();
      if (next != null) {
        body.put("next", next);
      }
      return control.post("/v1/redis/repair", body);
    }

    /** Where the next part begins. */
    private @Nullable String take(Answer part, BulkBar bar) {
      jobs += part.number("jobs", 0);
      found += part.number("found", 0);
      left += part.number("left", 0);
      part.objects("differences").stream()
          .limit(Math.max(0, SHOWN - differences.size()))
          .forEach(differences::add);
      bar.stepTo(jobs);
      return part.string("next");
    }

    private void tell() {
      if (control.isJson()) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("jobs", jobs);
        all.put("found", found);
        all.put("left", left);
        all.put("differences", differences);
        control.print(Json.write(all));
        return;
      }
      if (found > 0) {
        Table table = new Table(List.of("KEY", "WHAT"), "KEY", "WHAT");
        for (Map<String, @Nullable Object> one : differences) {
          table.add(Objects.toString(one.get("key"), ""), Objects.toString(one.get("what"), ""));
        }
        control.print(table.lines(control.screen()));
      }
      control.say(words());
    }

    private String words() {
      if (found == 0) {
        return "Redis is as the database has it";
      }
      if (!isRepair) {
        return found + " differ; put them right with --repair";
      }
      return left == 0 ? found + " were put right" : left + " could not be put right";
    }
  }
}
