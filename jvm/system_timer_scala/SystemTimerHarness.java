package kafka.utils.timer;

import subject.TimerHarness;
import wheelproof.jvm.Scenario;

/** The harness with the timer and tasks of this package. */
final class SystemTimerHarness extends TimerHarness {
    /** A task that does nothing. */
    static final class Task implements TimerTask {
        // the trait's private variable: scalac puts it into each class, and it is not volatile
        private TimerTaskEntry kafka$utils$timer$TimerTask$$timerTaskEntry;
        private long delayMs;

        @Override
        public long delayMs() {
            return delayMs;
        }

        @Override
        public TimerTaskEntry kafka$utils$timer$TimerTask$$timerTaskEntry() {
            return kafka$utils$timer$TimerTask$$timerTaskEntry;
        }

        @Override
        public void kafka$utils$timer$TimerTask$$timerTaskEntry_$eq(TimerTaskEntry entry) {
            kafka$utils$timer$TimerTask$$timerTaskEntry = entry;
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
    protected boolean advance(Object timer) {
        return ((SystemTimer) timer).advanceClock(0);
    }

    @Override
    protected void cancel(Object task) {
        ((TimerTask) task).cancel();
    }

    @Override
    protected void close(Object timer) {
        ((SystemTimer) timer).shutdown();
    }
}
