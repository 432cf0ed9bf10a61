package dev.stint.server;

/** The server cannot listen where it was told to. The message is one line. */
public final class AddressUnusableException extends RuntimeException {
  public AddressUnusableException(String message) {
    super(message);
  }
}
