package wheelproof.agent;

import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.kafka.server.util.timer.TimerTask;
import org.apache.kafka.server.util.timer.TimerTaskEntry;

/** What the changed classes of the timer call where they take and let go of locks. */
public final class LockHooks {
    private LockHooks() { }

    // -- monitors

    private static Token token(Object locked) {
        return locked instanceof TimerTaskEntry ? Token.ENTRY
            : locked instanceof TimerTask ? Token.TASK
            : locked instanceof Traced.Wheel ? Token.WHEEL : Token.LIST;
    }

    public static void entered(Object locked) {
        if (Recorder.on) {
            Log.own().take(Info.of(locked), token(locked), locked, true);
        }
    }

    public static void left(Object locked) {
        if (Recorder.on) {
            Log.own().give(Info.of(locked), token(locked));
        }
    }

    public static void monitor1Begin(Object locked, Object argument) {
        entered(locked);
    }

    public static void monitor1End(Object locked, Object argument) {
        left(locked);
    }

    public static void monitor1Raised(Object locked, Object argument) {
        left(locked);
    }

    // -- the timer's lock

    private static void half(Info timer, Object lock, boolean write) {
        Log log = Log.own();
        log.take(timer, Token.TIMER, lock, write);
        log.event(Kind.RW_ACQUIRE).set(Column.TIMER, timer.id).end();
    }

    private static void halfBack(Info timer) {
        Log log = Log.own();
        log.event(Kind.RW_RELEASE).set(Column.TIMER, timer.id).end();
        log.give(timer, Token.TIMER);
    }

    public static void readLock(ReentrantReadWriteLock.ReadLock lock, Object timer) {
        lock.lock();
        half(Info.of(timer), lock, false);
    }

    public static void readUnlock(ReentrantReadWriteLock.ReadLock lock, Object timer) {
        halfBack(Info.of(timer));
        lock.unlock();
    }

    public static void writeLock(ReentrantReadWriteLock.WriteLock lock, Object timer) {
        lock.lock();
        half(Info.of(timer), lock, true);
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // the write lock is held
    public static void writeUnlock(ReentrantReadWriteLock.WriteLock lock, Object timer) {
        Info info = Info.of(timer);
        halfBack(info);
        info.epoch++;
        lock.unlock();
    }
}
