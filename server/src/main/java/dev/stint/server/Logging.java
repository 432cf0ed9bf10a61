package dev.stint.server;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The log: one line per record on stderr. */
public final class Logging {
  /** Libraries that tell at length how they start. */
  private static final Logger[] CHATTY = {
    Logger.getLogger("io.helidon"),
    Logger.getLogger("com.zaxxer.hikari"),
    Logger.getLogger("org.flywaydb"),
  };

  /** The JDK's own: when debugging, they would tell all headers, and so the token. */
  private static final Logger[] INDISCREET = {
    Logger.getLogger("java"), Logger.getLogger("jdk"), Logger.getLogger("sun"),
  };

  /**
   * When debugging they would tell what is sent; that Redis is away is told by whoever needs it.
   */
  private static final Logger[] OF_REDIS = {
    Logger.getLogger("io.lettuce"), Logger.getLogger("io.netty"), Logger.getLogger("reactor"),
  };

  private Logging() {}

  /** Logs from now on what is at least as important as {@code level}. */
  public static void configure(String level) {
    LogManager.getLogManager().reset();
    Level least = level(level);
    Handler handler = new ConsoleHandler();
    handler.setFormatter(new OneLine());
    handler.setLevel(least);
    Logger root = Logger.getLogger("");
    root.addHandler(handler);
    root.setLevel(least);
    for (Logger logger : CHATTY) {
      logger.setLevel(least.intValue() < Level.INFO.intValue() ? Level.INFO : Level.WARNING);
    }
    for (Logger logger : INDISCREET) {
      logger.setLevel(Level.WARNING);
    }
    for (Logger logger : OF_REDIS) {
      logger.setLevel(Level.SEVERE);
    }
  }

  private static Level level(String word) {
    return switch (word) {
      case "error" -> Level.SEVERE;
      case "warn" -> Level.WARNING;
      case "info" -> Level.INFO;
      case "debug" -> Level.FINE;
      default -> throw new SettingException("--log-level", "must be error, warn, info or debug");
    };
  }

  private static final class OneLine extends Formatter {
    @Override
    public String format(LogRecord record) {
      StringBuilder line =
          new StringBuilder()
              .append(Instant.ofEpochMilli(record.getMillis()).truncatedTo(ChronoUnit.MILLIS))
              .append(' ')
              .append(word(record.getLevel()))
              .append(' ')
              .append(shortName(record.getLoggerName()))
              .append(": ")
              .append(formatMessage(record).replace('\n', ' '))
              .append('\n');
      if (record.getThrown() != null) {
        StringWriter trace = new StringWriter();
        record.getThrown().printStackTrace(new PrintWriter(trace));
        line.append(trace);
      }
      return line.toString();
    }

    private static String word(Level level) {
      if (level.intValue() >= Level.SEVERE.intValue()) {
        return "ERROR";
      }
      return level.intValue() >= Level.WARNING.intValue()
          ? "WARN"
          : level.getName().toUpperCase(Locale.ROOT);
    }

    private static String shortName(String logger) {
      return logger.substring(logger.lastIndexOf('.') + 1);
    }
  }
}
