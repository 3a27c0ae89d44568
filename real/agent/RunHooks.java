package wheelproof.agent;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.server.util.timer.TimerTaskEntry;

/** What the changed classes call where a task is handed back, handed over and run. */
public final class RunHooks {
    private static final long NS_PER_MS = 1_000_000, WAIT_NS = 20_000;

    private RunHooks() { }

    public static void entrustBegin(Object timer, Object entry) {
        Log log = Log.own();
        if (log.flushing != null) {
            TimerHooks.entry(log.event(Kind.REINSERT), (TimerTaskEntry) entry).end();
        }
    }

    public static void entrustEnd(Object timer, Object entry) { }

    public static void entrustRaised(Object timer, Object entry) { }

    public static Future<?> submit(ExecutorService executor, Runnable task, Object entry) {
        if (!Recorder.on) {
            return executor.submit(task);
        }
        Run run = new Run((TimerTaskEntry) entry, task, Log.own());
        try {
            Future<?> future = executor.submit(run);
            run.submitted(Result.NONE);
            return future;
        } catch (RejectedExecutionException error) {
            run.submitted(Result.RAISED);
            throw error;
        }
    }

    /** A task in the executor's hands. Its run waits until the hand-over is recorded. */
    private static final class Run implements Runnable {
        private final TimerTaskEntry entry;
        private final Runnable task;
        private final Log giver;
        private final Thread thread = Thread.currentThread();
        private final long clock;
        private volatile boolean recorded;

        Run(TimerTaskEntry entry, Runnable task, Log giver) {
            this.entry = entry;
            this.task = task;
            this.giver = giver;
            clock = giver.lowest;
        }

        void submitted(Result result) {
            if (!recorded) {
                TimerHooks.entry(giver.event(Kind.EXPIRE_SUBMIT), entry).set(Column.WHEEL, clock)
                    .set(Column.NOW, System.nanoTime() / NS_PER_MS).result(result).end();
                recorded = true;
            }
        }

        @Override
        public void run() {
            if (thread == Thread.currentThread()) {
                submitted(Result.NONE);
            }
            while (!recorded) {
                LockSupport.parkNanos(this, WAIT_NS);
            }
            Log log = Log.own();
            Info before = log.running;
            long deadline = log.runningDeadline;
            log.running = Info.of(entry.timerTask);
            log.runningDeadline = entry.expirationMs;
            now(Kind.TASK_RUN, log).end();
            Result result = Result.RAISED;
            try {
                task.run();
                result = Result.NONE;
            } finally {
                now(Kind.TASK_DONE, log).result(result).end();
                log.running = before;
                log.runningDeadline = deadline;
            }
        }

        private Log now(Kind kind, Log log) {
            return TimerHooks.entry(log.event(kind), entry)
                .set(Column.NOW, System.nanoTime() / NS_PER_MS);
        }
    }
}
