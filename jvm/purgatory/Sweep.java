package org.apache.kafka.server.purgatory;

import java.util.Spliterator;
import java.util.function.Consumer;

/** A thread's way through the values of a shard's map. */
final class Sweep<V> implements Spliterator<V> {
    private final PurgatoryHarness harness;
    /** The JDK's own, which knows where the way has come to. */
    private final Spliterator<V> rest;
    /** What is done with each value; it has the sum of what came so far. */
    private Consumer<? super V> action;

    Sweep(PurgatoryHarness harness, Spliterator<V> rest) {
        this.harness = harness;
        this.rest = rest;
        harness.sweeps(this);
    }

    @Override
    public boolean tryAdvance(Consumer<? super V> next) {
        action = next;
        harness.looks();
        boolean found = rest.tryAdvance(next);
        if (!found) {
            harness.sweeps(null);
        }
        return found;
    }

    @Override
    public Spliterator<V> trySplit() {
        return null;
    }

    @Override
    public long estimateSize() {
        return rest.estimateSize();
    }

    @Override
    public int characteristics() {
        return rest.characteristics();
    }
}
