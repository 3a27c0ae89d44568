package org.apache.kafka.coordinator.common.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.server.util.timer.TimerTask;

/** A coordinator is unloaded and cancels its time-outs, of which two expire. */
class Timeouts implements Timer, CoordinatorShardScheduler<String> {
    private final List<Thread> reapers = new ArrayList<>();

    @Override
    public void add(TimerTask task) {
        Thread reaper = new Thread(task);
        reapers.add(reaper);
        reaper.start();
    }

    /** The runtime's answer where the partition is led no longer. */
    @Override
    public CompletableFuture<Void> scheduleWriteOperation(String name,
            WriteOperation<String> operation) {
        return CompletableFuture.failedFuture(Errors.NOT_COORDINATOR.exception());
    }

    void run() throws InterruptedException {
        CoordinatorTimerImpl<String> timer =
                new CoordinatorTimerImpl<>(new LogContext(), this, this);
        for (String key : List.of("session", "rebalance")) {
            timer.schedule(key, 10, TimeUnit.MILLISECONDS, true,
                    () -> new CoordinatorResult<>(List.of()));
        }
        timer.cancelAll();
        for (Thread reaper : reapers) {
            reaper.join();
        }
        assert timer.size() == 0 : timer.size() + " time-outs are left";
    }

    @Override
    public boolean advanceClock(long milliseconds) {
        return false;
    }

    @Override
    public int size() {
        return reapers.size();
    }

    @Override
    public void close() { }
}
