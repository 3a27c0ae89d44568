package subject;

import java.util.function.Supplier;
import org.apache.kafka.common.utils.Time;

/** The time of a scenario, which stands in the place of the system's. */
public final class ScenarioTime implements Time {
    /** What the delay queue reads. */
    public static final Time QUEUE = new ScenarioTime();
    /** What an adder reads: 0 at all times, so that a task's delay is its deadline. */
    public static final Time ADDER = new ScenarioTime();

    private long now;

    private ScenarioTime() { }

    /** The delay queue's time, in milliseconds. */
    public static ScenarioTime begin(long now) {
        ScenarioTime queue = (ScenarioTime) QUEUE;
        queue.now = now;
        return queue;
    }

    public void tick() {
        now++;
    }

    @Override
    public long milliseconds() {
        return now;
    }

    @Override
    public long hiResClockMs() {
        return now;
    }

    @Override
    public long nanoseconds() {
        return now * 1_000_000;
    }

    @Override
    public void sleep(long ms) {
        throw new UnsupportedOperationException();
    }

    public void waitObject(Object object, Supplier<Boolean> condition, long deadlineMs) {
        throw new UnsupportedOperationException();
    }
}
