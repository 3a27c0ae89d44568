package org.apache.kafka.server.purgatory;

import java.util.Collection;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.server.util.timer.TimerTask;

/** A timer that may run any task that it has, at once. Each operation on it is one step. */
final class ScenarioTimer implements Timer {
    private final Collection<WatchedOperation> operations;

    ScenarioTimer(Collection<WatchedOperation> operations) {
        this.operations = operations;
    }

    @Override
    public void add(TimerTask task) {
        ((WatchedOperation) task).armed.set(true);
    }

    @Override
    public boolean advanceClock(long timeoutMs) {
        return false;
    }

    @Override
    public int size() {
        return (int) operations.stream().filter(operation -> operation.armed.get()).count();
    }

    @Override
    public void close() { }
}
