package wheelproof.jvm;

import java.util.IdentityHashMap;
import java.util.concurrent.locks.Lock;

/**
 * Who holds which lock. The real operation follows each entry at once and is never contended; at
 * every exit of a monitor the JVM has to agree that this thread holds it.
 */
final class LockTable {
    static final class Entry {
        Worker owner;
        int depth;
        /** A bit for each worker that reads. */
        int readers;
    }

    private final IdentityHashMap<Object, Entry> entries = new IdentityHashMap<>();

    /** The entry of a lock that a thread holds, else null. */
    Entry held(Object lock) {
        return entries.get(Hooks.lockOf(lock));
    }

    int size() {
        return entries.size();
    }

    /** Whether the instruction would wait. */
    boolean blocks(Worker worker, Site.Kind kind, Object target) {
        Entry entry = target == null ? null : held(target);
        if (entry == null) {
            return false;
        }
        boolean others = entry.owner != null && entry.owner != worker;
        return switch (kind) {
            case LOCK, READ_LOCK -> others;
            case WRITE_LOCK -> others || entry.readers != 0;
            default -> false;
        };
    }

    /** Notes what the instruction is going to do. */
    void effect(Worker worker, Site.Kind kind, Object target) {
        switch (kind) {
            case LOCK, WRITE_LOCK -> take(worker, target);
            case UNLOCK, WRITE_UNLOCK -> release(worker, target);
            case READ_LOCK -> entry(target).readers |= 1 << worker.index;
            case READ_UNLOCK -> {
                entry(target).readers &= ~(1 << worker.index);
                dropIfFree(target);
            }
            case TRY_LOCK -> worker.tried = target;
            default -> { }
        }
    }

    void take(Worker worker, Object target) {
        Entry entry = entry(target);
        entry.owner = worker;
        entry.depth++;
    }

    private void release(Worker worker, Object target) {
        Entry entry = entry(target);
        if (entry.owner != worker) {
            throw new IllegalStateException("a lock is released that the thread does not hold");
        }
        if (!(target instanceof Lock) && !Thread.holdsLock(target)) {
            throw new IllegalStateException("the JVM does not hold the monitor that is released");
        }
        if (--entry.depth == 0) {
            entry.owner = null;
        }
        dropIfFree(target);
    }

    private Entry entry(Object target) {
        return entries.computeIfAbsent(Hooks.lockOf(target), lock -> new Entry());
    }

    private void dropIfFree(Object target) {
        Entry entry = held(target);
        if (entry != null && entry.owner == null && entry.readers == 0) {
            entries.remove(Hooks.lockOf(target));
        }
    }
}
