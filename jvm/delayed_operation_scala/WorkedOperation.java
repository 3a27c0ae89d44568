package kafka.server;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.locks.Lock;
import subject.Work;
import subject.Worked;

/** The worked operation on Kafka's Scala class, up to 3.9. */
final class WorkedOperation extends DelayedOperation implements Worked {
    private static final MethodHandle ATTEMPT = attempts();

    private final Work work = new Work();

    /** {@code guard}: the lock that it has for its own; null for one of its own. */
    WorkedOperation(Lock guard) {
        super(1, scala.Option.apply(guard));
    }

    /** Releases up to 2.6 call it maybeTryComplete. */
    private static MethodHandle attempts() {
        MethodType type = MethodType.methodType(boolean.class);
        try {
            return MethodHandles.lookup().findVirtual(DelayedOperation.class,
                    hasMaybe() ? "maybeTryComplete" : "safeTryComplete", type);
        } catch (ReflectiveOperationException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    private static boolean hasMaybe() {
        return java.util.Arrays.stream(DelayedOperation.class.getDeclaredMethods())
                .anyMatch(method -> method.getName().equals("maybeTryComplete"));
    }

    @Override
    public Work work() {
        return work;
    }

    @Override
    public void cancel() {
        work.cancel();
        super.cancel();
    }

    @Override
    public boolean tryComplete() {
        return work.tryComplete(this);
    }

    @Override
    public void onComplete() {
        work.onComplete();
    }

    @Override
    public void onExpiration() {
        work.onExpiration();
    }

    @Override
    public boolean attempt() {
        try {
            return (boolean) ATTEMPT.invokeExact((DelayedOperation) this);
        } catch (RuntimeException | Error raised) {
            throw raised;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public Lock guard() {
        return lock();
    }
}
