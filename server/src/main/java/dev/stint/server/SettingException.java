package dev.stint.server;

/** A setting that the server cannot start with. The message is one line and names it. */
public final class SettingException extends RuntimeException {
  public SettingException(String setting, String problem) {
    super(setting + ": " + problem);
  }
}
