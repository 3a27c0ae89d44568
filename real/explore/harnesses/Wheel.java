import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.TimerTask;

/** A task of a few milliseconds is added while the reaper takes the bucket of a later one. */
class Wheel {
    /** Three levels of 20 slots have ticks of 1, 20 and 400 ms. */
    private static final long TURN = 400;

    private static final class Task extends TimerTask {
        Task(long delayMs) {
            super(delayMs);
        }

        @Override
        public void run() { }
    }

    private static long now() {
        return Time.SYSTEM.hiResClockMs();
    }

    void run() throws Exception {
        Thread.sleep(40);
        SystemTimer timer = new SystemTimer("wheel");
        long key = (now() / TURN + 1) * TURN;
        timer.add(new Task(key + TURN - 1 - now()));
        Thread.sleep(key - 18 - now());
        Thread adder = new Thread(() -> timer.add(new Task(5)));
        Thread reaper = new Thread(() -> {
            try {
                timer.advanceClock(200);
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
        });
        adder.start();
        reaper.start();
        adder.join();
        reaper.join();
        for (int passed = 0; passed < 60; passed++) {
            Thread.sleep(1);
            while (timer.advanceClock(0)) {
                // until no bucket is due
            }
        }
        assert timer.size() <= 1 : "a task of 5 ms is there after " + (now() - key + 18) + " ms";
    }
}
