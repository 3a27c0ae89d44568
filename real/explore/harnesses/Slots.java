package cn.hutool.cron.timingwheel;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;

/** As Wheel, of a timer whose loop is private and whose tasks run on a pool of all timers. */
class Slots extends SystemTimer {
    /** Three levels of 20 slots have ticks of 1, 20 and 400 ms. */
    private static final long TURN = 400;
    private static final MethodHandle ADVANCE;
    private static final VarHandle RUNNING;

    static {
        try {
            MethodHandles.Lookup inside =
                    MethodHandles.privateLookupIn(SystemTimer.class, MethodHandles.lookup());
            ADVANCE = inside.findVirtual(SystemTimer.class, "advanceClock",
                    MethodType.methodType(boolean.class));
            RUNNING = inside.findVarHandle(SystemTimer.class, "isRunning", boolean.class);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    private volatile boolean done;

    private static long now() {
        return System.currentTimeMillis();
    }

    /** Who finds a task due runs it. */
    @Override
    public void addTask(TimerTask task) {
        if (task.getDelayMs() <= now()) {
            task.getTask().run();
        } else {
            super.addTask(task);
        }
    }

    private void advance() {
        try {
            ADVANCE.invoke(this);
        } catch (Throwable error) {
            throw new IllegalStateException(error);
        }
    }

    void run() throws InterruptedException {
        RUNNING.set(this, true);
        setDelayQueueTimeout(200);
        long key = (now() / TURN + 1) * TURN;
        addTask(new TimerTask(() -> { }, key + TURN - 1 - now()));
        Thread.sleep(key - 18 - now());
        Thread adder = new Thread(() -> addTask(new TimerTask(() -> done = true, 5)));
        Thread reaper = new Thread(this::advance);
        adder.start();
        reaper.start();
        adder.join();
        reaper.join();
        setDelayQueueTimeout(0);
        for (int passed = 0; passed < 60; passed++) {
            Thread.sleep(1);
            advance();
            advance();
        }
        assert done : "a task of 5 ms is there after " + (now() - key + 18) + " ms";
    }
}
