package dev.stint.redis;

import java.util.UUID;

/** A message that the group of a queue's stream has given to a worker. */
record NativeMessage(String queue, String id, UUID jobId, String enqueueId) {
  /** Of whom nothing is known but that it has acknowledged the message. */
  static final String SOMEBODY = "native";

  private static final int MAX_NAME = 200;

  /** Whoever got it wrote nothing about the job up to here. */
  StreamId before() {
    return new StreamId(place().ms() - 1, -1);
  }

  /** Where it is in its stream. */
  StreamId place() {
    return StreamId.parse(id);
  }

  /** The name by which a consumer is known as a worker: consumers may be called anything. */
  static String worker(String consumer) {
    String name = inOneLine(consumer, MAX_NAME);
    return name.isEmpty() ? SOMEBODY : name;
  }

  /** Without what cannot be shown, and not too long. */
  static String inOneLine(String text, int max) {
    StringBuilder line = new StringBuilder();
    text.codePoints()
        .limit(max)
        .map(c -> Character.isISOControl(c) ? ' ' : c)
        .forEach(line::appendCodePoint);
    return line.toString().strip();
  }
}
