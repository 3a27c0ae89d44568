package subject;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** A delayed operation with work in it: a subclass of Kafka's class, in that class's package. */
public interface Worked {
    /**
     * What tryComplete asks for, in order; the callers' lock that onComplete takes, or null; whether
     * onComplete raises; the operation that onComplete completes, or null.
     */
    void work(AtomicBoolean[] conditions, ReentrantLock outer, boolean fails, Worked following);

    /** What checkAndComplete does with a watched operation. */
    boolean attempt();

    /** The timer's executor runs it. */
    void run();

    boolean forceComplete();

    /** The operation's own lock. */
    Lock guard();

    boolean completed();

    /** The note that a thread leaves which does not get the lock. */
    boolean pending();

    /** Whether the timer task is still to run. */
    boolean armed();

    int completions();

    int expirations();
}
