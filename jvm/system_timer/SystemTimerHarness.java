package org.apache.kafka.server.util.timer;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import subject.ScenarioTime;
import wheelproof.jvm.Harness;
import wheelproof.jvm.Scenario;
import wheelproof.jvm.Shared;
import wheelproof.jvm.Site;

/**
 * A scenario of SystemTimer on Kafka's own SystemTimer, TimingWheel and TimerTaskList, with the
 * JDK's DelayQueue. Two things are replaced: the clock, and the executor by one that records. The
 * adds of one task have different deadlines, by which an entry is known.
 */
final class SystemTimerHarness extends Harness {
    private static final Field EXECUTOR = Wheels.field(SystemTimer.class, "taskExecutor");
    private static final Field QUEUE = Wheels.field(SystemTimer.class, "delayQueue");
    private static final Field COUNTER = Wheels.field(SystemTimer.class, "taskCounter");
    private static final Field WHEEL = Wheels.field(SystemTimer.class, "timingWheel");
    private static final Field LOCK = Wheels.field(SystemTimer.class, "readWriteLock");
    private static final Object[] REFUSED = {"raised", "RuntimeError"};

    /** A task that does nothing: what is checked is who hands it over, and when. */
    static final class Task extends TimerTask {
        Task() {
            super(0);
        }

        @Override
        public void run() { }
    }

    /** The queue of a thread pool, first in first out; threads of the scenario are its threads. */
    static final class Pool extends AbstractExecutorService {
        private final SystemTimerHarness harness;
        private final List<TimerTaskEntry> waiting = new ArrayList<>();
        private final List<TimerTaskEntry> refused = new ArrayList<>();
        private boolean shut;

        Pool(SystemTimerHarness harness) {
            this.harness = harness;
        }

        @Override
        public Future<?> submit(Runnable task) {
            TimerTaskEntry entry = harness.entryInHand();
            if (shut) {
                refused.add(entry);
                throw new RejectedExecutionException();
            }
            waiting.add(entry);
            return null;
        }

        @Override
        public void shutdown() {
            harness.shuts();
            shut = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            throw new IllegalStateException("the executor ends what it has");
        }

        @Override
        public boolean isShutdown() {
            return shut;
        }

        @Override
        public boolean isTerminated() {
            return shut;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }

        @Override
        public void execute(Runnable task) {
            throw new IllegalStateException("SystemTimer submits");
        }
    }

    private final ScenarioTime clock = ScenarioTime.begin(0);
    private final SystemTimer timer;
    private final Pool pool = new Pool(this);
    private final List<TimerTaskEntry> started = new ArrayList<>();
    private final Map<String, TimerTask> tasks = new LinkedHashMap<>();
    private int adding;
    private final transient Map<String, String> taskOf = new LinkedHashMap<>();
    private final transient Map<String, Long> deadline = new LinkedHashMap<>();
    private final transient Wheels wheels;
    private final transient DelayQueue<?> queue;
    private final transient AtomicInteger counter;
    private final transient Object lock;

    SystemTimerHarness(Scenario scenario) {
        for (String entry : scenario.keys("task_of")) {
            taskOf.put(entry, scenario.value("task_of." + entry));
            deadline.put(entry, Long.parseLong(scenario.value("deadline." + entry)));
            tasks.computeIfAbsent(taskOf.get(entry), task -> new Task());
        }
        for (String[] operation : scenario.operations()) {
            adding += operation[0].equals("add") ? 1 : 0;
        }
        int wheelSize = Integer.parseInt(scenario.value("wheel_size"));
        timer = new SystemTimer("subject", 1, wheelSize, 0);
        ((ExecutorService) Wheels.get(EXECUTOR, timer)).shutdown();
        Wheels.set(EXECUTOR, timer, pool);
        TimingWheel lowest = (TimingWheel) Wheels.get(WHEEL, timer);
        Wheels.make(lowest, Integer.parseInt(scenario.value("levels")));
        wheels = new Wheels(lowest);
        queue = (DelayQueue<?>) Wheels.get(QUEUE, timer);
        counter = (AtomicInteger) Wheels.get(COUNTER, timer);
        lock = Wheels.get(LOCK, timer);
    }

    @Override
    public Object perform(String[] operation) throws Exception {
        switch (operation[0]) {
            case "add" -> {
                return add(operation[1]);
            }
            case "reap" -> {
                return reap();
            }
            case "cancel" -> cancel(tasks.get(operation[1]));
            case "close" -> timer.close();
            case "tick" -> tick();
            case "execute" -> execute();
            default -> throw new IllegalArgumentException(operation[0]);
        }
        return null;
    }

    private Object add(String entry) {
        TimerTask task = tasks.get(taskOf.get(entry));
        Wheels.delay(task, deadline.get(entry));
        try {
            timer.add(task);
            return null;
        } catch (RejectedExecutionException refused) {
            return REFUSED;
        } finally {
            adding--;
        }
    }

    private void cancel(TimerTask task) {
        task.cancel();
    }

    private Object reap() throws InterruptedException {
        try {
            boolean any;
            do {
                any = timer.advanceClock(0);
            } while (any || !over());
            return null;
        } catch (RejectedExecutionException refused) {
            return REFUSED;
        }
    }

    private void tick() {
        step("tick");
        clock.tick();
    }

    private void execute() {
        step("take");
        if (!pool.waiting.isEmpty()) {
            TimerTaskEntry entry = pool.waiting.remove(0);
            step("run", entry);
            started.add(entry);
        }
    }

    private void shuts() {
        step("shutdown");
    }

    /** No entry is linked, and none will be. */
    private boolean over() {
        return counter.get() == 0 && adding == 0;
    }

    private boolean due() {
        TimerTaskList first = (TimerTaskList) queue.peek();
        return first != null && first.getExpiration() <= clock.milliseconds();
    }

    /** The entry that the running thread hands over: SystemTimer submits its task alone. */
    private TimerTaskEntry entryInHand() {
        for (Object value : frame()) {
            if (value instanceof TimerTaskEntry entry) {
                return entry;
            }
        }
        throw new IllegalStateException("the thread has no entry in its hand");
    }

    @Override
    public boolean waits(int thread, Site site, Object target, Object[] values) {
        return switch (site.key) {
            case "SystemTimer.advanceClock:CALL DelayQueue.poll#0" -> !due() && !over();
            case "SystemTimerHarness.cancel:INVOKE cancel#0" ->
                    held((TimerTask) values[values.length - 1], thread);
            case "TimerTaskEntry.<init>:INVOKE setTimerTaskEntry#0" ->
                    held((TimerTask) values[values.length - 2], thread);
            case "harness:take" -> pool.waiting.isEmpty() && !nothingComes();
            default -> false;
        };
    }

    private boolean nothingComes() {
        return pool.shut || over() && owner(lock) == 0;
    }

    /** Another thread's flush holds the bucket that the task's entry is in. */
    private boolean held(TimerTask task, int thread) {
        TimerTaskEntry entry = Wheels.entry(task);
        TimerTaskList bucket = entry == null ? null : entry.list;
        int owner = bucket == null ? 0 : owner(bucket);
        return owner != 0 && owner != thread + 1;
    }

    @Override
    public String name(Object object) {
        if (object instanceof TimerTaskEntry entry) {
            return entry.timerTask == null ? "root" : nameOf(entry);
        }
        for (Map.Entry<String, TimerTask> task : tasks.entrySet()) {
            if (task.getValue() == object) {
                return task.getKey();
            }
        }
        if (object instanceof TimerTaskList bucket) {
            return String.valueOf(wheels.number(bucket));
        }
        return object instanceof TimingWheel level ? "level " + (wheels.levels.indexOf(level) + 1)
                : null;
    }

    private String nameOf(TimerTaskEntry entry) {
        for (String name : taskOf.keySet()) {
            if (entry != null && tasks.get(taskOf.get(name)) == entry.timerTask
                    && deadline.get(name) == entry.expirationMs) {
                return name;
            }
        }
        return null;
    }

    private List<String> namesOf(List<TimerTaskEntry> entries) {
        return entries.stream().map(this::nameOf).toList();
    }

    @Override
    public void shared(Shared out) {
        out.variable().number(clock.milliseconds());
        out.variable();
        wheels.levels.forEach(level -> out.number(Wheels.clock(level)));
        out.variable();
        wheels.content(out, this::nameOf);
        out.variable();
        wheels.buckets.forEach(bucket -> out.number(bucket.getExpiration()));
        out.variable();
        wheels.queued(out, queue);
        out.variable();
        tasks.values().forEach(task -> out.name(nameOf(Wheels.entry(task))));
        out.variable().number(counter.get());
        out.variable().threads(readers(lock));
        out.variable().thread(owner(lock));
        out.variable().number(flushing());
        out.variable().truth(pool.shut);
        out.variable().names(namesOf(pool.waiting));
        out.variable().names(namesOf(started));
        out.variable().names(namesOf(pool.refused));
        out.variable().number(adding);
    }

    /** The bucket whose monitor a thread holds, which at these steps only a flush does. */
    private int flushing() {
        for (TimerTaskList bucket : wheels.buckets) {
            if (owner(bucket) != 0) {
                return wheels.number(bucket);
            }
        }
        return 0;
    }
}
