import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** An element of a delay queue, on a clock that is set by hand. It counts its comparisons. */
class Element implements Delayed {
    static volatile long nowMs;
    static final AtomicReference<Runnable> onCompare = new AtomicReference<>();
    static final AtomicReference<Runnable> onDelay = new AtomicReference<>();
    static long compared;
    static long equalled;

    static void happens(AtomicReference<Runnable> hook) {
        Runnable action = hook.getAndSet(null);
        if (action != null) action.run();
    }

    final String name;
    final long dueMs;

    Element(String name, long delayMs) {
        this.name = name;
        this.dueMs = nowMs + delayMs;
    }

    @Override public long getDelay(TimeUnit unit) {
        happens(onDelay);
        return unit.convert(dueMs - nowMs, TimeUnit.MILLISECONDS);
    }

    @Override public int compareTo(Delayed other) {
        compared++;
        happens(onCompare);
        return Long.compare(dueMs, ((Element) other).dueMs);
    }

    @Override public boolean equals(Object other) {
        equalled++;
        return this == other;
    }

    @Override public int hashCode() {
        return System.identityHashCode(this);
    }

    @Override public String toString() {
        return name;
    }
}
