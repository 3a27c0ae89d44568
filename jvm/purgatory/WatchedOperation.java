package org.apache.kafka.server.purgatory;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/** An operation of a scenario, in the place of a broker's request. It waits for one condition. */
final class WatchedOperation extends DelayedOperation {
    /** The timer has it. */
    final AtomicBoolean armed = new AtomicBoolean();
    /** A thread may still give it to the timer. */
    final AtomicBoolean entering = new AtomicBoolean(true);
    final AtomicInteger completions = new AtomicInteger();
    final AtomicInteger expirations = new AtomicInteger();
    private final AtomicBoolean condition;
    private final List<NamedKey> keys;
    private final boolean fails;
    private final ReentrantLock outer;
    private DelayedOperationPurgatory<WatchedOperation> purgatory;
    private WatchedOperation following;

    /** {@code fails}: its onComplete raises. {@code outer}: the lock that it takes, or null. */
    WatchedOperation(
            AtomicBoolean condition, List<NamedKey> keys, boolean fails, ReentrantLock outer) {
        super(1);
        this.condition = condition;
        this.keys = keys;
        this.fails = fails;
        this.outer = outer;
    }

    /** {@code next}: the operation that its onComplete enters, or null. */
    void waitIn(DelayedOperationPurgatory<WatchedOperation> place, WatchedOperation next) {
        purgatory = place;
        following = next;
    }

    /** Tries it, or lets it wait in the purgatory. */
    boolean enter() {
        try {
            return purgatory.tryCompleteElseWatch(this, keys);
        } finally {
            entering.set(false);
        }
    }

    boolean isLocked() {
        return lock.isLocked();
    }

    Object guard() {
        return lock;
    }

    @Override
    public void cancel() {
        armed.set(false);
        super.cancel();
    }

    @Override
    public boolean tryComplete() {
        return condition.get() && forceComplete();
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
            following.enter();
        }
    }

    @Override
    public void onExpiration() {
        expirations.incrementAndGet();
    }
}
