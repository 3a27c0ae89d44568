package kafka.server;

import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import subject.Failed;
import subject.Worked;

/** The worked operation on Kafka's Scala class of 1.0 and 2.0. */
final class WorkedOperation extends DelayedOperation implements Worked {
    private static final Field COMPLETED = flag("completed");
    /** Absent in releases that leave no note. */
    private static final Field PENDING = flag("tryCompletePending");

    private AtomicBoolean[] conditions;
    private ReentrantLock outer;
    private boolean fails;
    private Worked following;
    private final AtomicBoolean armed = new AtomicBoolean(true);
    private final AtomicInteger completions = new AtomicInteger();
    private final AtomicInteger expirations = new AtomicInteger();

    WorkedOperation() {
        super(1, scala.Option.apply(null));
    }

    private static Field flag(String name) {
        try {
            Field field = DelayedOperation.class.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException error) {
            return null;
        }
    }

    private boolean read(Field flag) {
        try {
            return ((AtomicBoolean) flag.get(this)).get();
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    @Override
    public void work(AtomicBoolean[] needed, ReentrantLock lock, boolean raises, Worked next) {
        conditions = needed;
        outer = lock;
        fails = raises;
        following = next;
    }

    @Override
    public void cancel() {
        armed.set(false);
        super.cancel();
    }

    @Override
    public boolean tryComplete() {
        for (AtomicBoolean condition : conditions) {
            if (!condition.get()) {
                return false;
            }
        }
        return forceComplete();
    }

    @Override
    public void onComplete() {
        completions.incrementAndGet();
        if (outer != null) {
            outer.lock();
            outer.unlock();
        }
        if (fails) {
            throw new Failed();
        }
        if (following != null) {
            following.forceComplete();
        }
    }

    @Override
    public void onExpiration() {
        expirations.incrementAndGet();
    }

    @Override
    public boolean attempt() {
        return maybeTryComplete();
    }

    @Override
    public Lock guard() {
        return lock();
    }

    @Override
    public boolean completed() {
        return read(COMPLETED);
    }

    @Override
    public boolean pending() {
        return PENDING != null && read(PENDING);
    }

    @Override
    public boolean armed() {
        return armed.get();
    }

    @Override
    public int completions() {
        return completions.get();
    }

    @Override
    public int expirations() {
        return expirations.get();
    }
}
