package dev.stint.contracts;

/**
 * One line of a contract's table. There is no route without a decision on who may call it.
 *
 * @param path of fixed segments and {@code {names}} that each stand for one segment
 */
public record Route(String method, String path, Access access, Handler handler) {
  public Route {
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException("path " + path);
    }
  }
}
