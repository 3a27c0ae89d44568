package subject;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/** What an operation of a scenario does, in the place of a broker's request. */
public final class Work {
    private AtomicBoolean[] conditions;
    private ReentrantLock outer;
    private boolean fails;
    private Worked following;
    final AtomicBoolean armed = new AtomicBoolean(true);
    final AtomicInteger completions = new AtomicInteger();
    final AtomicInteger expirations = new AtomicInteger();

    /**
     * The conditions that tryComplete reads, in order; the callers' lock that onComplete takes, or
     * null; whether onComplete raises; the operation that onComplete completes, or null.
     */
    void set(AtomicBoolean[] needed, ReentrantLock lock, boolean raises, Worked next) {
        conditions = needed;
        outer = lock;
        fails = raises;
        following = next;
    }

    /** The timer task is not to run any more. */
    public void cancel() {
        armed.set(false);
    }

    public boolean tryComplete(Worked operation) {
        for (AtomicBoolean condition : conditions) {
            if (!condition.get()) {
                return false;
            }
        }
        return operation.forceComplete();
    }

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

    public void onExpiration() {
        expirations.incrementAndGet();
    }
}
