package org.apache.kafka.server.purgatory;

import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Iterator;
import java.util.Spliterator;
import java.util.concurrent.ConcurrentHashMap;

/** A shard's map. Who goes through its values, as the JDK does, takes each next one in a step. */
final class SteppedMap<K, V> extends ConcurrentHashMap<K, V> {
    private static final long serialVersionUID = 1;

    private final transient PurgatoryHarness harness;

    SteppedMap(PurgatoryHarness harness) {
        this.harness = harness;
    }

    @Override
    public Collection<V> values() {
        Collection<V> all = super.values();
        return new AbstractCollection<>() {
            @Override
            public Iterator<V> iterator() {
                return all.iterator();
            }

            @Override
            public int size() {
                return all.size();
            }

            /** Without a table there is nothing to look at, and no step. */
            @Override
            public Spliterator<V> spliterator() {
                boolean used = PurgatoryHarness.isUsed(SteppedMap.this);
                return used ? new Sweep<>(harness, all.spliterator()) : all.spliterator();
            }
        };
    }
}
