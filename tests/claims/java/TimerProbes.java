import java.util.ArrayList;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Probes of a Timer, or of an executor in its place. */
class TimerProbes {
    /** What the articles' program schedules, on a Timer or on something else. */
    interface Schedule {
        void after(long delayMs, Runnable task);
    }

    static Schedule on(Timer timer) {
        return (delayMs, task) -> timer.schedule(new TimerTask() {
            @Override public void run() {
                task.run();
            }
        }, delayMs);
    }

    /** A slow second task: whether the third begins while the second one runs. */
    static boolean besides(Schedule schedule, long patienceMs) throws InterruptedException {
        CountDownLatch third = new CountDownLatch(1);
        AtomicReference<Boolean> seen = new AtomicReference<>();
        CountDownLatch second = new CountDownLatch(1);
        schedule.after(1, () -> { });
        schedule.after(2, () -> {
            try {
                seen.set(third.await(patienceMs, TimeUnit.MILLISECONDS));
            } catch (InterruptedException stopped) {
                throw new IllegalStateException(stopped);
            }
            second.countDown();
        });
        schedule.after(3, third::countDown);
        second.await(JdkTimers.PATIENCE_MS, TimeUnit.MILLISECONDS);
        third.await(JdkTimers.PATIENCE_MS, TimeUnit.MILLISECONDS);
        return seen.get();
    }

    /** The article's program with 20 ms for a second: when the three tasks begin. */
    static String article() throws InterruptedException {
        Timer timer = new Timer(true);
        List<String> begun = new CopyOnWriteArrayList<>();
        CountDownLatch done = new CountDownLatch(3);
        long start = System.nanoTime();
        for (int task = 1; task <= 3; task++) {
            int number = task;
            on(timer).after(20L * task, () -> {
                begun.add(number + "@" + (System.nanoTime() - start) / 1_000_000);
                try {
                    if (number == 2) Thread.sleep(100);
                } catch (InterruptedException stopped) {
                    throw new IllegalStateException(stopped);
                }
                done.countDown();
            });
        }
        done.await(JdkTimers.PATIENCE_MS, TimeUnit.MILLISECONDS);
        timer.cancel();
        return String.join(" ", begun);
    }

    /** After a task has thrown: what a task that waits does, and what becomes of a new one. */
    static String throwing(Schedule schedule, CountDownLatch over) throws InterruptedException {
        CountDownLatch second = new CountDownLatch(1);
        CountDownLatch thrown = new CountDownLatch(1);
        CountDownLatch both = new CountDownLatch(1);
        AtomicReference<Thread> thread = new AtomicReference<>();
        schedule.after(1, () -> {
            try {
                both.await(JdkTimers.PATIENCE_MS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException stopped) {
                throw new IllegalStateException(stopped);
            }
            thread.set(Thread.currentThread());
            thrown.countDown();
            throw new IllegalArgumentException("thrown by the first task");
        });
        schedule.after(2, second::countDown);
        both.countDown();
        thrown.await(JdkTimers.PATIENCE_MS, TimeUnit.MILLISECONDS);
        if (over == null) thread.get().join(JdkTimers.PATIENCE_MS);
        long patienceMs = over == null ? JdkTimers.MOMENT_MS : JdkTimers.PATIENCE_MS;
        boolean ran = second.await(patienceMs, TimeUnit.MILLISECONDS);
        try {
            schedule.after(1, () -> { });
            return "second " + ran + ", then taken";
        } catch (IllegalStateException refused) {
            return "second " + ran + ", then " + refused.getClass().getSimpleName();
        }
    }

    /**
     * How often a task runs: one without a period, and one with a period that cancels itself, or
     * not, in its fifth run.
     */
    static String runs(boolean cancels) throws InterruptedException {
        Timer timer = new Timer(true);
        AtomicInteger once = new AtomicInteger();
        AtomicInteger often = new AtomicInteger();
        CountDownLatch fifth = new CountDownLatch(5);
        CountDownLatch later = new CountDownLatch(1);
        on(timer).after(1, once::incrementAndGet);
        timer.schedule(new TimerTask() {
            @Override public void run() {
                often.incrementAndGet();
                fifth.countDown();
                if (cancels && often.get() == 5) cancel();
            }
        }, 1, 2);
        fifth.await(JdkTimers.PATIENCE_MS, TimeUnit.MILLISECONDS);
        on(timer).after(20, later::countDown);
        later.await(JdkTimers.PATIENCE_MS, TimeUnit.MILLISECONDS);
        timer.cancel();
        return once.get() + " " + (often.get() == 5 ? "5" : "more than 5");
    }

    static final long HOUR_MS = 3_600_000;

    /**
     * How many of 500 cancelled tasks, among 1,000, a purge takes out. The first task is not
     * cancelled: the timer's thread drops a cancelled task at the head when it looks there.
     */
    static int cancelledAndPurged() {
        Timer timer = new Timer(true);
        List<TimerTask> tasks = new ArrayList<>();
        for (int number = 0; number < 1000; number++) {
            TimerTask task = new TimerTask() {
                @Override public void run() { }
            };
            timer.schedule(task, HOUR_MS + number);
            tasks.add(task);
        }
        for (int number = 1; number < 1000; number += 2) tasks.get(number).cancel();
        int purged = timer.purge();
        timer.cancel();
        return purged;
    }

    static int cancelledAndPurged(ScheduledThreadPoolExecutor pool) {
        pool.setRemoveOnCancelPolicy(true);
        List<ScheduledFuture<?>> tasks = new ArrayList<>();
        for (int number = 0; number < 1000; number++) {
            tasks.add(pool.schedule(() -> { }, HOUR_MS + number, TimeUnit.MILLISECONDS));
        }
        for (int number = 1; number < 1000; number += 2) tasks.get(number).cancel(false);
        int before = pool.getQueue().size();
        pool.purge();
        return before - pool.getQueue().size();
    }

    /** Whether a task is due between two readings of a clock, each with the delay added. */
    static boolean dueBy(Supplier<Long> clockMs) {
        Timer timer = new Timer(true);
        TimerTask task = new TimerTask() {
            @Override public void run() { }
        };
        long before = clockMs.get();
        timer.schedule(task, HOUR_MS);
        long after = clockMs.get();
        long due = task.scheduledExecutionTime();
        timer.cancel();
        return before + HOUR_MS <= due && due <= after + HOUR_MS;
    }
}
