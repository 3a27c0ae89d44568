package org.apache.kafka.server.util.timer;

import subject.TimerHarness;
import wheelproof.jvm.Scenario;

/** The harness with the timer and tasks of this package. */
final class SystemTimerHarness extends TimerHarness {
    /** A task that does nothing. */
    static final class Task extends TimerTask {
        Task() {
            super(0);
        }

        @Override
        public void run() { }
    }

    SystemTimerHarness(Scenario scenario) {
        super(scenario);
    }

    @Override
    protected Object timer(int wheelSize) {
        return new SystemTimer("subject", 1, wheelSize, 0);
    }

    @Override
    protected Object task() {
        return new Task();
    }

    @Override
    protected void add(Object timer, Object task) {
        ((SystemTimer) timer).add((TimerTask) task);
    }

    @Override
    protected boolean advance(Object timer) throws InterruptedException {
        return ((SystemTimer) timer).advanceClock(0);
    }

    @Override
    protected void cancel(Object task) {
        ((TimerTask) task).cancel();
    }

    @Override
    protected void close(Object timer) {
        ((SystemTimer) timer).close();
    }
}
