package dev.stint.bench;

import dev.stint.engine.Store;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * All that an engine asks of its store's transactions, call by call with its arguments. Given to
 * another store it is the same work on the same rows, with no HTTP, no rules and no queue around
 * it: what the database alone takes for the same jobs.
 */
final class Recording {
  private final List<List<Step>> transactions = new ArrayList<>();

  private record Step(Method method, List<Object> arguments) {}

  /** The same store, whose transactions are written down here. It may have one writer only. */
  Store of(Store store) {
    return proxy(
        Store.class,
        store,
        (method, arguments) ->
            method.getName().equals("transact")
                ? new Object[] {listening((Function<?, ?>) arguments[0])}
                : arguments);
  }

  /** Does it all again, one transaction after the other. */
  void replay(Store store) {
    for (List<Step> steps : transactions) {
      store.<Boolean>transact(transaction -> {
        for (Step step : steps) {
          invoke(step.method(), transaction, step.arguments().toArray());
        }
        return true;
      });
    }
  }

  private Function<Store.Transaction, Object> listening(Function<?, ?> work) {
    @SuppressWarnings("unchecked") // the one parameter of Store.transact
    Function<Store.Transaction, Object> typed = (Function<Store.Transaction, Object>) work;
    return transaction -> {
      List<Step> steps = new ArrayList<>();
      Object result =
          typed.apply(
              proxy(
                  Store.Transaction.class,
                  transaction,
                  (method, arguments) -> {
                    steps.add(new Step(method, Arrays.asList(arguments)));
                    return arguments;
                  }));
      transactions.add(steps);
      return result;
    };
  }

  /** Sees a call before it is made, and what it is made with. */
  private interface Listener {
    Object[] called(Method method, Object[] arguments);
  }

  private static <T> T proxy(Class<T> type, T behind, Listener listener) {
    InvocationHandler handler =
        (_, method, arguments) -> {
          Object[] given = arguments == null ? new Object[0] : arguments;
          return invoke(method, behind, listener.called(method, given));
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object invoke(Method method, Object target, Object[] arguments) {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      switch (e.getCause()) {
        case RuntimeException thrown -> throw thrown;
        case Error thrown -> throw thrown;
        case null, default -> throw new IllegalStateException(e);
      }
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
