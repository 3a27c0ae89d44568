package wheelproof.explore;

import java.lang.reflect.Method;

/** A harness with a method run(): threads, and a check. */
final class Race extends Program {
    static final String METHOD = "run";

    private final Method method;
    private final Method outcome;

    Race(Class<?> type) throws NoSuchMethodException {
        super(type);
        method = type.getDeclaredMethod(METHOD);
        method.setAccessible(true);
        outcome = optional(type, "outcome");
    }

    @Override
    void body() throws Throwable {
        invoke(method);
    }

    /** What the last run has led to, as its own method says; only comparisons of searches ask. */
    String outcome() {
        try {
            return outcome == null ? "" : String.valueOf(outcome.invoke(instance));
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }
}
