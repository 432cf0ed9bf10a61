package dev.stint.cli;

import dev.stint.client.UnreachableException;
import dev.stint.server.AddressUnusableException;
import dev.stint.server.SettingException;
import dev.stint.storage.StoreUnusableException;
import dev.stint.worker.StateInUseException;
import java.net.ConnectException;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** What ends a command, as one line and an exit code. */
final class Problems {
  private Problems() {}

  static int tell(Exception problem, CommandLine command, ParseResult parsed) {
    if (problem instanceof OutputLostException) {
      return ExitCodes.UNEXPECTED;
    }
    int code =
        switch (problem) {
          case SettingException _ -> ExitCodes.BAD_SETTING;
          case StoreUnusableException _ -> ExitCodes.DATABASE;
          case AddressUnusableException _ -> ExitCodes.ADDRESS;
          case RefusedException refused ->
              refused.isForLater() ? ExitCodes.UNREACHABLE : ExitCodes.REFUSED;
          case UnreachableException _ -> ExitCodes.UNREACHABLE;
          case StateInUseException _ -> ExitCodes.STATE_IN_USE;
          default -> ExitCodes.UNEXPECTED;
        };
    command.getErr().println("stint: " + problem.getMessage() + advice(problem));
    if (code == ExitCodes.UNEXPECTED) {
      problem.printStackTrace(command.getErr());
    }
    command.getErr().flush();
    return code;
  }

  private static String advice(Exception problem) {
    return problem.getCause() instanceof ConnectException
        ? "; start one with: stint server, or say where it is with --url"
        : "";
  }
}
