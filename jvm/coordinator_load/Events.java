package org.apache.kafka.coordinator.common.runtime;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;

/** The partition's events. Who puts one while no thread handles events handles all that wait. */
final class Events implements CoordinatorEventProcessor {
    /** An event, as the model writes it. */
    record Put(CoordinatorEvent event, Object[] described) { }

    final ReentrantLock gate = new ReentrantLock();
    final Deque<Put> waiting = new ArrayDeque<>();
    boolean busy;
    private final LoadHarness harness;

    Events(LoadHarness harness) {
        this.harness = harness;
    }

    @Override
    public void enqueueLast(CoordinatorEvent event) {
        gate.lock();
        harness.at("appends");
        waiting.add(new Put(event, harness.described(event)));
        boolean handles = !busy;
        if (handles) {
            harness.at("begins");
            busy = true;
        }
        gate.unlock();
        if (handles) {
            handleAll();
        }
    }

    /** The model has one order of events. */
    @Override
    public void enqueueFirst(CoordinatorEvent event) {
        enqueueLast(event);
    }

    private void handleAll() {
        for (Put put = take(); put != null; put = take()) {
            harness.handles(put.described());
            try {
                put.event().run();
            } catch (RuntimeException error) {
                put.event().complete(error);
            }
        }
    }

    private Put take() {
        Put first = null;
        gate.lock();
        if (waiting.isEmpty()) {
            harness.at("stops");
            busy = false;
        } else {
            harness.at("takes");
            first = waiting.remove();
        }
        gate.unlock();
        return first;
    }

    @Override
    public void close() { }
}
