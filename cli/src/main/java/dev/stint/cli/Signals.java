package dev.stint.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What SIGTERM and Ctrl-C do: the first stops in order, a second one at once. SIGHUP only does the
 * first: a terminal that closes sends it twice, by its shell and by the system.
 *
 * <p>A shutdown hook cannot do that: the JVM heeds no second signal while hooks run, and leaves
 * with 143 instead of 0. So the JVM's own signal class is used, by reflection since javac warns of
 * it; where it is missing, a hook does what it can.
 */
final class Signals {
  private static final int ENDED_BY_SECOND_SIGNAL = 130;

  private static final AtomicInteger signals = new AtomicInteger();

  private Signals() {}

  /** With what to end once all is done. */
  static int exitCode() {
    return signals.get() > 1 ? ENDED_BY_SECOND_SIGNAL : 0;
  }

  /** Whether it was told to stop. */
  static boolean areGiven() {
    return signals.get() > 0;
  }

  static void stopWith(Runnable drain) {
    stopWith(drain, () -> {});
  }

  /** With something that has to be done even when there is no time; a third signal cuts it off. */
  static void stopWith(Runnable drain, Runnable atOnce) {
    Runnable begin = () -> Thread.ofPlatform().name("drain").start(() -> drainAndExit(drain));
    Runnable onSignal =
        () -> {
          switch (signals.incrementAndGet()) {
            case 1 -> begin.run();
            case 2 -> Thread.ofPlatform().name("stop").start(() -> halt(atOnce));
            default -> halt(() -> {});
          }
        };
    Runnable onHangUp =
        () -> {
          if (signals.compareAndSet(0, 1)) {
            begin.run();
          }
        };
    try {
      handle("TERM", onSignal);
      handle("INT", onSignal);
      handle("HUP", onHangUp);
    } catch (ReflectiveOperationException e) {
      Runtime.getRuntime().addShutdownHook(new Thread(drain, "drain"));
    }
  }

  private static void drainAndExit(Runnable drain) {
    int code = 1;
    try {
      drain.run();
      code = exitCode();
    } finally {
      Runtime.getRuntime().exit(code);
    }
  }

  private static void halt(Runnable before) {
    try {
      before.run();
    } finally {
      Runtime.getRuntime().halt(ENDED_BY_SECOND_SIGNAL);
    }
  }

  private static void handle(String name, Runnable onSignal) throws ReflectiveOperationException {
    Class<?> signal = Class.forName("sun.misc.Signal");
    Class<?> handler = Class.forName("sun.misc.SignalHandler");
    InvocationHandler run =
        (proxy, method, arguments) -> {
          onSignal.run();
          return null;
        };
    Object proxy =
        Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[] {handler}, run);
    signal
        .getMethod("handle", signal, handler)
        .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
  }
}
