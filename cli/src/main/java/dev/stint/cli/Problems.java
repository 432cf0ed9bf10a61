package dev.stint.cli;

import dev.stint.server.AddressUnusableException;
import dev.stint.server.SettingException;
import dev.stint.storage.StoreUnusableException;
import dev.stint.worker.StateInUseException;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** What ends a command, as one line and an exit code. */
final class Problems {
  static final int UNEXPECTED = 1;
  static final int BAD_SETTING = 2;
  static final int DATABASE = 3;
  static final int ADDRESS = 4;
  static final int WORKER_REFUSED = 5;
  static final int STATE_IN_USE = 6;

  private Problems() {}

  static int tell(Exception problem, CommandLine command, ParseResult parsed) {
    int code =
        switch (problem) {
          case SettingException _ -> BAD_SETTING;
          case StoreUnusableException _ -> DATABASE;
          case AddressUnusableException _ -> ADDRESS;
          case StateInUseException _ -> STATE_IN_USE;
          default -> UNEXPECTED;
        };
    command.getErr().println("stint: " + problem.getMessage());
    if (code == UNEXPECTED) {
      problem.printStackTrace(command.getErr());
    }
    command.getErr().flush();
    return code;
  }
}
