package dev.stint.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * One HTTP/1.1 answer, read from the bytes that have come so far. After {@link #parse} has returned
 * true, the body is at {@link #bytes} from {@link #bodyStart} to {@link #bodyEnd}, a chunked one
 * already joined in place.
 */
final class Answer {
  private static final int SHOWN_BODY_CHARS = 300;
  private static final byte[] CONTENT_LENGTH = ascii("content-length:");
  private static final byte[] TRANSFER_ENCODING = ascii("transfer-encoding:");
  private static final byte[] CONNECTION_CLOSE = ascii("connection: close");

  private byte[] bytes = new byte[0];
  private int status;
  private int bodyStart;
  private int bodyEnd;
  private boolean lastOnItsConnection;

  /** Reads the answer; false as long as some of it is still to come. */
  boolean parse(byte[] received, int length) throws IOException {
    bytes = received;
    int headEnd = endOfHead(length);
    if (headEnd < 0) {
      return false;
    }
    status = number(9, 10);
    bodyStart = headEnd;
    lastOnItsConnection = false;
    int contentLength = status == 204 ? 0 : -1;
    boolean chunked = false;
    for (int line = nextLine(0); line < headEnd - 2; line = nextLine(line)) {
      if (startsWith(line, CONTENT_LENGTH)) {
        contentLength = number(line + CONTENT_LENGTH.length, 10);
      } else if (startsWith(line, TRANSFER_ENCODING)) {
        chunked = true;
      } else if (startsWith(line, CONNECTION_CLOSE)) {
        lastOnItsConnection = true;
      }
    }
    if (chunked) {
      return joinChunks(length);
    }
    if (contentLength < 0) {
      throw new IOException("an answer has neither Content-Length nor chunks: " + head(headEnd));
    }
    bodyEnd = bodyStart + contentLength;
    return endsWithin(length, bodyEnd);
  }

  int status() {
    return status;
  }

  byte[] bytes() {
    return bytes;
  }

  int bodyStart() {
    return bodyStart;
  }

  int bodyEnd() {
    return bodyEnd;
  }

  /** The server said that it will take no further request on this connection. */
  boolean lastOnItsConnection() {
    return lastOnItsConnection;
  }

  /** Status and beginning of the body, on one line, for an error message. */
  String shown() {
    int shownEnd = Math.min(bodyEnd, bodyStart + SHOWN_BODY_CHARS);
    String body = new String(bytes, bodyStart, shownEnd - bodyStart, StandardCharsets.UTF_8);
    return status + " " + body.replaceAll("\\s+", " ");
  }

  private static boolean endsWithin(int length, int end) throws IOException {
    if (length > end) {
      throw new IOException("the server sent more than one answer to one request");
    }
    return length == end;
  }

  private boolean joinChunks(int length) throws IOException {
    int end = bodyStart;
    int line = bodyStart;
    // Looked at twice: nothing may move before the last chunk is there.
    int afterLast = skipChunks(length);
    if (afterLast < 0) {
      return false;
    }
    while (true) {
      int size = number(line, 16);
      int data = nextLine(line);
      if (size == 0) {
        bodyEnd = end;
        return endsWithin(length, afterLast);
      }
      System.arraycopy(bytes, data, bytes, end, size);
      end += size;
      line = data + size + 2;
    }
  }

  /** Where the last chunk ends, or -1 if it is still to come. */
  private int skipChunks(int length) throws IOException {
    int line = bodyStart;
    while (line < length) {
      int data = nextLine(line);
      if (data > length || bytes[data - 1] != '\n') {
        return -1;
      }
      int size = number(line, 16);
      if (data + size + 2 > length) {
        return -1;
      }
      if (size == 0) {
        return data + 2;
      }
      line = data + size + 2;
    }
    return -1;
  }

  private int endOfHead(int length) {
    for (int i = 3; i < length; i++) {
      if (bytes[i] == '\n'
          && bytes[i - 1] == '\r'
          && bytes[i - 2] == '\n'
          && bytes[i - 3] == '\r') {
        return i + 1;
      }
    }
    return -1;
  }

  /** The index after the next line feed, or past the array when there is none. */
  private int nextLine(int from) {
    int i = from;
    while (i < bytes.length && bytes[i] != '\n') {
      i++;
    }
    return i + 1;
  }

  private boolean startsWith(int from, byte[] lowerCase) {
    if (from + lowerCase.length > bytes.length) {
      return false;
    }
    for (int i = 0; i < lowerCase.length; i++) {
      byte b = bytes[from + i];
      if ((b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b) != lowerCase[i]) {
        return false;
      }
    }
    return true;
  }

  private int number(int from, int radix) throws IOException {
    int i = from;
    while (bytes[i] == ' ') {
      i++;
    }
    int digits = 0;
    int value = 0;
    for (int digit = Character.digit(bytes[i], radix);
        digit >= 0 && digits < 9;
        digit = Character.digit(bytes[++i], radix)) {
      value = value * radix + digit;
      digits++;
    }
    if (digits == 0 || value < 0) {
      throw new IOException("this does not speak HTTP/1.1: " + head(bytes.length));
    }
    return value;
  }

  private String head(int end) {
    return new String(bytes, 0, Math.min(end, 100), StandardCharsets.ISO_8859_1)
        .replaceAll("[^\\x20-\\x7e]+", " ")
        .strip();
  }

  private static byte[] ascii(String text) {
    return text.toLowerCase(Locale.ROOT).getBytes(StandardCharsets.US_ASCII);
  }
}
