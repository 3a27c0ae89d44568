package wheelproof.explore;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** A harness: a class with a method run(), of which each run has an object of its own. */
final class Program implements Runnable {
    private final Constructor<?> constructor;
    private final Method method;
    private final Method outcome;
    /** That of the last run. */
    Object instance;

    Program(Class<?> type) {
        try {
            constructor = type.getDeclaredConstructor();
            method = type.getDeclaredMethod("run");
        } catch (NoSuchMethodException error) {
            throw new IllegalArgumentException(type.getName()
                    + " has no method run() without arguments, or no such constructor");
        }
        constructor.setAccessible(true);
        method.setAccessible(true);
        Method text = null;
        try {
            text = type.getDeclaredMethod("outcome");
            text.setAccessible(true);
        } catch (NoSuchMethodException none) {
            // only the comparisons of searches ask for it
        }
        outcome = text;
    }

    @Override
    public void run() {
        try {
            instance = constructor.newInstance();
            method.invoke(instance);
        } catch (InvocationTargetException error) {
            Program.<RuntimeException>raise(error.getCause());
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    /** What the last run has led to, as its own method says. */
    String outcome() {
        try {
            return outcome == null ? "" : String.valueOf(outcome.invoke(instance));
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void raise(Throwable error) throws E {
        throw (E) error;
    }
}
