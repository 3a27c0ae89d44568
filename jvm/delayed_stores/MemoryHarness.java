package org.apache.kafka.server.util.timer;

import java.util.List;
import java.util.Map;
import wheelproof.jvm.Harness;
import wheelproof.jvm.Scenario;
import wheelproof.jvm.Shared;
import wheelproof.jvm.Site;

/** Threads whose stores reach memory by threads of the scenario, {@code memory THREAD FIELD}. */
abstract class MemoryHarness extends Harness {
    private final transient List<String> threads;

    MemoryHarness(Scenario scenario) {
        threads = scenario.threads();
    }

    /** The scenario's name of the running thread. */
    final String self() {
        return threads.get(thread());
    }

    /** The class's name of a field that the scenario names. */
    abstract String field(String name);

    /** The scenario's name of a field or of what a field holds; null for none. */
    abstract String nameOf(Object object);

    final void memory(String thread, String name) {
        boolean more = true;
        while (more) {
            more = writeBack(threads.indexOf(thread), field(name));
        }
    }

    @Override
    public boolean waits(int thread, Site site, Object target, Object[] values) {
        if (!site.key.equals("harness:" + WRITE_BACK)) {
            return false;
        }
        String[] way = threads.get(thread).split("\\.");
        return noStore(threads.indexOf(way[0]), field(way[1]));
    }

    /** The model's variable {@code buffer}. */
    final void buffer(Shared out) {
        out.variable();
        List<Stored> stores = stores();
        out.tuple(stores.size());
        for (Stored store : stores) {
            out.tuple(5).name(threads.get(store.thread())).name(nameOf(store.field()))
                    .name(nameOf(store.object())).name(nameOf(store.value()));
            out.set(store.marks().stream().map(this::mark).toList());
        }
    }

    /** What a thread has released: a field by its name, or a lock or an atomic by its own. */
    private String mark(Map.Entry<Object, String> mark) {
        return mark.getValue() == null ? lock(mark.getKey()) : nameOf(mark.getValue());
    }

    /** The scenario's name of a lock or an atomic. */
    abstract String lock(Object object);
}
