package dev.stint.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** Standard output, which keeps why it failed: print streams and writers forget that. */
final class StandardOutput extends OutputStream {
  private final OutputStream target = new FileOutputStream(FileDescriptor.out);
  private volatile @Nullable String problem;

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    try {
      target.write(bytes, offset, length);
    } catch (IOException e) {
      problem = e.getMessage();
      throw e;
    }
  }

  /** In the system's words, or null if there is none. */
  @Nullable String problem() {
    return problem;
  }

  /** Whoever reads a pipe may leave when it has seen enough, as head does. */
  boolean isReaderGone() {
    return "Broken pipe".equals(problem);
  }
}
