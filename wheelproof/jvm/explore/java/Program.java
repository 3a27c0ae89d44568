package wheelproof.explore;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** What a run runs: each has an object of its own. */
abstract class Program implements Runnable {
    private final Constructor<?> constructor;
    /** That of the last run. */
    Object instance;

    Program(Class<?> type) throws NoSuchMethodException {
        constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
    }

    /** A class with a method run(), or one of operations. */
    static boolean isRace(Class<?> type) {
        return optional(type, Race.METHOD) != null;
    }

    static Method optional(Class<?> type, String name) {
        try {
            Method method = type.getDeclaredMethod(name);
            method.setAccessible(true);
            return method;
        } catch (NoSuchMethodException none) {
            return null;
        }
    }

    /** Runs in the main thread. */
    abstract void body() throws Throwable;

    /** What the end of a run says about the program. */
    Result judge(Result result) {
        return result;
    }

    @Override
    public final void run() {
        try {
            instance = constructor.newInstance();
            body();
        } catch (InvocationTargetException error) {
            Program.<RuntimeException>raise(error.getCause());
        } catch (Throwable error) {
            Program.<RuntimeException>raise(error);
        }
    }

    Object invoke(Method method, Object... arguments) throws Throwable {
        try {
            return method.invoke(instance, arguments);
        } catch (InvocationTargetException error) {
            throw error.getCause();
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void raise(Throwable error) throws E {
        throw (E) error;
    }
}
