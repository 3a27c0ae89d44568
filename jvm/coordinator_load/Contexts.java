package org.apache.kafka.coordinator.common.runtime;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** The runtime's map. An event that begins to load and has no context makes it in a step. */
final class Contexts<K, V> extends ConcurrentHashMap<K, V> {
    private static final long serialVersionUID = 1;

    private final transient LoadHarness harness;

    Contexts(LoadHarness harness) {
        this.harness = harness;
    }

    @Override
    public V computeIfAbsent(K key, Function<? super K, ? extends V> make) {
        if (harness.isSchedule() || harness.current() != 0) {
            return super.computeIfAbsent(key, make);
        }
        harness.at("makes");
        V context = super.computeIfAbsent(key, make);
        harness.makes(context);
        return context;
    }
}
