package dev.stint.contracts;

import java.io.IOException;
import java.io.OutputStream;

/** The body of an answer that is written while things happen. Closed in any case. */
public interface LiveBody extends AutoCloseable {
  /**
   * Writes all of it, and returns when it is over or the client has gone. What is to be seen at
   * once is flushed. May block.
   */
  void writeTo(OutputStream out) throws IOException, InterruptedException;

  @Override
  void close();
}
