package wheelproof.explore;

import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** Stands for the ReentrantLock of java.util.concurrent: one lock of the scheduler. */
public class ReentrantLock implements Lock {
    private static final int LOCK = Site.own("acquire", "ReentrantLock");
    private static final int TRY = Site.own("try to acquire", "ReentrantLock");
    private static final int UNLOCK = Site.own("release", "ReentrantLock");
    private static final int AWAIT = Site.own("wait", "Condition");

    private final boolean fair;

    public ReentrantLock() {
        this(false);
    }

    public ReentrantLock(boolean fair) {
        this.fair = fair;
    }

    @Override
    public void lock() {
        Hooks.enter(this, LOCK);
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        Strand strand = Execution.me();
        if (strand != null) {
            Monitors.enterOrRaise(strand, this, Site.at(LOCK));
        }
    }

    @Override
    public boolean tryLock() {
        Strand strand = Execution.me();
        return strand == null || Monitors.tryEnter(strand, this, Site.at(TRY));
    }

    /** The time may always be over: a lock that is held need not be waited for. */
    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        Strand strand = Execution.me();
        if (strand != null && Threads.tookInterrupt(strand)) {
            throw new InterruptedException();
        }
        boolean taken = tryLock();
        if (!taken) {
            Execution.CURRENT.pass(unit.toNanos(time));
        }
        return taken;
    }

    @Override
    public void unlock() {
        Hooks.exit(this, UNLOCK);
    }

    private Monitor monitor() {
        return Places.of(this).monitor();
    }

    public boolean isHeldByCurrentThread() {
        return Hooks.holds(this);
    }

    public int getHoldCount() {
        return isHeldByCurrentThread() ? monitor().depth : 0;
    }

    /** Looks at the lock, as a tryLock does that takes nothing. */
    public boolean isLocked() {
        Strand strand = Execution.me();
        if (strand == null || isHeldByCurrentThread()) {
            return strand != null;
        }
        if (!Monitors.tryEnter(strand, this, Site.at(TRY))) {
            return true;
        }
        unlock();
        return false;
    }

    public final boolean isFair() {
        return fair;
    }

    @Override
    public Condition newCondition() {
        return new Waiters(this);
    }

    /** The threads that wait for a signal. */
    private static final class Waiters implements Condition {
        private final ReentrantLock lock;

        Waiters(ReentrantLock lock) {
            this.lock = lock;
        }

        private boolean pause(boolean timed, long nanos) throws InterruptedException {
            return Monitors.await(Execution.me(), lock, this, timed, nanos, Site.at(AWAIT));
        }

        @Override
        public void await() throws InterruptedException {
            pause(false, 0);
        }

        @Override
        public void awaitUninterruptibly() {
            boolean interrupted = false;
            while (true) {
                try {
                    pause(false, 0);
                    break;
                } catch (InterruptedException again) {
                    interrupted = true;
                }
            }
            Execution.me().interrupted |= interrupted;
        }

        @Override
        public long awaitNanos(long nanos) throws InterruptedException {
            long before = Execution.CURRENT.nanos;
            pause(true, nanos);
            return nanos - (Execution.CURRENT.nanos - before);
        }

        @Override
        public boolean await(long time, TimeUnit unit) throws InterruptedException {
            return pause(true, unit.toNanos(time));
        }

        @Override
        public boolean awaitUntil(Date deadline) throws InterruptedException {
            return pause(true, Threads.nanos(deadline.getTime()) - Execution.CURRENT.nanos);
        }

        @Override
        public void signal() {
            Monitors.signal(Execution.me(), lock, this, false);
        }

        @Override
        public void signalAll() {
            Monitors.signal(Execution.me(), lock, this, true);
        }
    }
}
