import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.TimerTask;

/**
 * Makes a timer of Kafka late, beside two controls that are in time. It uses public classes only.
 *
 * <pre>
 * java -cp kafka-server-common.jar:kafka-clients.jar:slf4j-api.jar D1.java \
 *     [BOUNDARY_MS [RUNS [CASE]]]
 * </pre>
 *
 * A far and a short task are added to an idle timer around a boundary: a time that is a multiple of
 * 400 ms, 8,000 ms or 160,000 ms, at which a bucket of an upper wheel comes due. All times are
 * milliseconds of the clock that the timer uses. A task is late by the time from the later of its
 * deadline and the return of its add to its run.
 */
public final class D1 {
    private static final int WHEEL_SIZE = 20;
    private static final int ATTEMPTS = 10;
    private static final int TOO_SLOW = 3;
    private static final long SHORTEST = 400;

    private enum Case {
        STALLED("stalled add"),
        OTHER_SLOT("stalled add, other slot"),
        NO_STALL("no stall");

        private final String title;

        Case(String title) {
            this.title = title;
        }
    }

    private static final class Task extends TimerTask {
        private final CountDownLatch done = new CountDownLatch(1);
        private volatile long ran;

        Task(long delayMs) {
            super(delayMs);
        }

        @Override
        public void run() {
            ran = now();
            done.countDown();
        }
    }

    /** Times past the boundary. */
    private record Result(long boundary, long deadline, long returned, long ran) {
        long late() {
            return ran - Math.max(deadline, returned);
        }
    }

    public static void main(String[] arguments) throws Exception {
        long boundary = arguments.length > 0 ? Long.parseLong(arguments[0]) : 400;
        int runs = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 3;
        Case[] cases =
            arguments.length > 2 ? new Case[] {Case.valueOf(arguments[2])} : Case.values();
        if (boundary < 400 || boundary % 400 != 0 || runs < 1) {
            System.err.println("usage: D1 [BOUNDARY_MS [RUNS [CASE]]]; BOUNDARY_MS is 400, 8000 or "
                + "160000; CASE is STALLED, OTHER_SLOT or NO_STALL");
            System.exit(2);
        }
        System.out.println(
            "Times in ms past the boundary. Late: after the deadline and the return of add.");
        System.out.println(
            "boundary  case                     deadline  add returned     ran    late");
        for (Case which : cases) {
            for (int run = 0; run < runs; run++) {
                Result result = attempt(which, boundary);
                String line = "%8d  %-23s  %8d  %12d  %6d  %6d";
                System.out.println(String.format(Locale.ROOT, line, result.boundary, which.title,
                    result.deadline, result.returned, result.ran, result.late()));
            }
        }
        System.exit(0);
    }

    /**
     * Repeats a run in which the machine was too slow to read the clock before the boundary. At the
     * boundaries of the next wheel there is twenty times as much time for that.
     */
    private static Result attempt(Case which, long boundary) throws Exception {
        for (int attempt = 0; attempt < 2 * ATTEMPTS; attempt++) {
            boolean shortest = attempt < ATTEMPTS || boundary > SHORTEST;
            Result result = run(which, shortest ? boundary : WHEEL_SIZE * boundary);
            if (result != null) {
                return result;
            }
        }
        System.err.println("The machine is too slow: in " + 2 * ATTEMPTS + " runs no add had read "
            + "the clock before the boundary.");
        System.exit(TOO_SLOW);
        throw new AssertionError();
    }

    private static Result run(Case which, long boundary) throws Exception {
        long slot = boundary / WHEEL_SIZE;
        long start = now();
        long key = (start / boundary + 1) * boundary;
        if (key - start < 3 * slot) {
            key += boundary;
        }
        sleepUntil(key - boundary + 2 * slot);
        SystemTimer timer = new SystemTimer("d1");
        Thread reaper = reaper(timer);
        try {
            // Its bucket is due at the boundary. It then goes into the slot of the short task.
            long far = key + boundary - slot / 2 - (which == Case.OTHER_SLOT ? 3 * slot : 0);
            long begun = now();
            timer.add(new Task(far - begun));
            if (now() - begun >= slot / 2) {
                return null;
            }

            sleepUntil(key - slot + slot / 10);
            Task task = new Task(slot / 4);
            long read = now();
            boolean early = true;
            if (which == Case.NO_STALL) {
                timer.add(task);
            } else {
                Thread adder = new Thread(() -> timer.add(task), "adder");
                synchronized (task) {
                    adder.start();
                    // The add has read the clock, and waits for the monitor to set the entry.
                    while (adder.getState() != Thread.State.BLOCKED) {
                        Thread.sleep(1);
                    }
                    read = now();
                    // An add that has the read lock before the boundary keeps the reaper from
                    // flushing. The reaper comes to wait for it, however slow the machine is.
                    early = read + slot / 4 < key;
                    while (early && !waitsForTheWriteLock(reaper)) {
                        Thread.sleep(1);
                    }
                }
                adder.join();
            }
            long returned = now();
            long deadline = read + slot / 4;
            task.done.await();
            return early && deadline < key
                ? new Result(boundary, deadline - key, returned - key, task.ran - key) : null;
        } finally {
            reaper.interrupt();
            reaper.join();
            timer.close();
        }
    }

    /** What the thread of a SystemTimerReaper does. */
    private static Thread reaper(SystemTimer timer) {
        Thread thread = new Thread(() -> {
            try {
                while (true) {
                    timer.advanceClock(200);
                }
            } catch (InterruptedException ended) {
                // the run is over
            }
        }, "reaper");
        thread.start();
        return thread;
    }

    private static boolean waitsForTheWriteLock(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().endsWith("ReentrantReadWriteLock$WriteLock")) {
                return true;
            }
        }
        return false;
    }

    private static void sleepUntil(long time) throws InterruptedException {
        for (long left = time - now(); left > 0; left = time - now()) {
            Thread.sleep(left);
        }
    }

    /** The clock of the timer, Time.SYSTEM.hiResClockMs(). */
    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }
}
