package dev.stint.cli;

/** Exit codes, and how the help of a command tells them. */
final class ExitCodes {
  static final int OK = 0;
  static final int UNEXPECTED = 1;
  static final int BAD_SETTING = 2;
  static final int DATABASE = 3;
  static final int ADDRESS = 4;
  static final int REFUSED = 5;
  static final int UNREACHABLE = 6;
  static final int NO_LOG = 7;
  static final int STATE_IN_USE = 8;

  /** Of a job that was waited for. Below 120 they are its command's own, from 124 a shell's. */
  static final int JOB_FAILED = 120;

  static final int JOB_ABORTED = 121;
  static final int JOB_GONE = 122;

  static final String HEADING = "Exit codes:";
  static final String OK_LINE = "  0  all went well";
  static final String UNEXPECTED_LINE = "  1  something unexpected";
  static final String BAD_SETTING_LINE = "  2  a wrong option or setting";
  static final String DATABASE_LINE = "  3  the database cannot be used";
  static final String ADDRESS_LINE = "  4  the address cannot be listened on";
  static final String REFUSED_LINE =
      "  5  the control plane refused: a wrong token, an unknown id, …";
  static final String UNREACHABLE_LINE =
      "  6  the control plane cannot be reached, or cannot serve now";
  static final String NO_LOG_LINE = "  7  there is no such log on this machine";
  static final String STATE_IN_USE_LINE = "  8  another worker uses the state file";

  private ExitCodes() {}
}
