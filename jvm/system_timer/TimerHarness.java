package subject;

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
import wheelproof.jvm.Harness;
import wheelproof.jvm.Scenario;
import wheelproof.jvm.Shared;
import wheelproof.jvm.Site;

/**
 * A scenario of SystemTimer on Kafka's own SystemTimer, TimingWheel and TimerTaskList, with the
 * JDK's DelayQueue. Two things are replaced: the clock, and the executor by one that records. The
 * adds of one task have different deadlines, by which an entry is known.
 */
public abstract class TimerHarness extends Harness {
    private static final Object[] REFUSED = {"raised", "RuntimeError"};

    /** The queue of a thread pool, first in first out; threads of the scenario are its threads. */
    static final class Pool extends AbstractExecutorService {
        private final TimerHarness harness;
        private final List<Object> waiting = new ArrayList<>();
        private final List<Object> refused = new ArrayList<>();
        private boolean shut;

        Pool(TimerHarness harness) {
            this.harness = harness;
        }

        @Override
        public Future<?> submit(Runnable task) {
            Object entry = harness.entryInHand();
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
    private final Object timer;
    private final Pool pool = new Pool(this);
    private final List<Object> started = new ArrayList<>();
    private final Map<String, Object> tasks = new LinkedHashMap<>();
    private int adding;
    private final transient Map<String, String> taskOf = new LinkedHashMap<>();
    private final transient Map<String, Long> deadline = new LinkedHashMap<>();
    private final transient Wheels wheels;
    private final transient DelayQueue<?> queue;
    private final transient AtomicInteger counter;
    private final transient Object lock;

    protected TimerHarness(Scenario scenario) {
        for (String entry : scenario.keys("task_of")) {
            taskOf.put(entry, scenario.value("task_of." + entry));
            deadline.put(entry, Long.parseLong(scenario.value("deadline." + entry)));
            tasks.computeIfAbsent(taskOf.get(entry), task -> task());
        }
        for (String[] operation : scenario.operations()) {
            adding += operation[0].equals("add") ? 1 : 0;
        }
        int wheelSize = Integer.parseInt(scenario.value("wheel_size"));
        timer = timer(wheelSize);
        ((ExecutorService) Wheels.get(timer, "taskExecutor")).shutdown();
        Wheels.set(timer, "taskExecutor", pool);
        Object lowest = Wheels.get(timer, "timingWheel");
        Wheels.make(lowest, Integer.parseInt(scenario.value("levels")));
        wheels = new Wheels(lowest);
        queue = (DelayQueue<?>) Wheels.get(timer, "delayQueue");
        counter = (AtomicInteger) Wheels.get(timer, "taskCounter");
        lock = Wheels.get(timer, "readWriteLock");
    }

    /** A timer of this release, with a tick of 1 ms that starts at 0. */
    protected abstract Object timer(int wheelSize);

    /** A task that does nothing: what is checked is who hands it over, and when. */
    protected abstract Object task();

    /** SystemTimer.add. */
    protected abstract void add(Object timer, Object task);

    /** SystemTimer.advanceClock, which waits for nothing. */
    protected abstract boolean advance(Object timer) throws InterruptedException;

    /** TimerTask.cancel. */
    protected abstract void cancel(Object task);

    protected abstract void close(Object timer);

    @Override
    public final Object perform(String[] operation) throws Exception {
        switch (operation[0]) {
            case "add" -> {
                return add(operation[1]);
            }
            case "reap" -> {
                return reap();
            }
            case "cancel" -> cancel(tasks.get(operation[1]));
            case "close" -> close(timer);
            case "tick" -> tick();
            case "execute" -> execute();
            default -> throw new IllegalArgumentException(operation[0]);
        }
        return null;
    }

    private Object add(String entry) {
        Object task = tasks.get(taskOf.get(entry));
        Wheels.set(task, "delayMs", deadline.get(entry));
        try {
            add(timer, task);
            return null;
        } catch (RejectedExecutionException refused) {
            return REFUSED;
        } finally {
            adding--;
        }
    }

    private Object reap() throws InterruptedException {
        try {
            boolean any;
            do {
                any = advance(timer);
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
            Object entry = pool.waiting.remove(0);
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
        Object first = queue.peek();
        return first != null && Wheels.key(first) <= clock.milliseconds();
    }

    /** The entry that the running thread hands over: SystemTimer submits its task alone. */
    private Object entryInHand() {
        for (Object value : frame()) {
            if (isEntry(value)) {
                return value;
            }
        }
        throw new IllegalStateException("the thread has no entry in its hand");
    }

    private static boolean isEntry(Object object) {
        return object != null && object.getClass().getSimpleName().equals("TimerTaskEntry");
    }

    private static Object taskOf(Object entry) {
        return Wheels.get(entry, "timerTask");
    }

    private static Object entryOf(Object task) {
        return Wheels.get(task, "timerTaskEntry", "kafka$utils$timer$TimerTask$$timerTaskEntry");
    }

    @Override
    public final boolean waits(int thread, Site site, Object target, Object[] values) {
        return switch (site.key) {
            case "SystemTimer.advanceClock:CALL DelayQueue.poll#0" -> !due() && !over();
            case "SystemTimerHarness.cancel:INVOKE cancel#0" ->
                    held(values[values.length - 1], thread);
            case "TimerTaskEntry.<init>:INVOKE setTimerTaskEntry#0" ->
                    held(values[values.length - 2], thread);
            case "harness:take" -> pool.waiting.isEmpty() && !nothingComes();
            default -> false;
        };
    }

    private boolean nothingComes() {
        return pool.shut || over() && owner(lock) == 0;
    }

    /** Another thread's flush holds the bucket that the task's entry is in. */
    private boolean held(Object task, int thread) {
        Object entry = entryOf(task);
        Object bucket = entry == null ? null : Wheels.list(entry);
        int owner = bucket == null ? 0 : owner(bucket);
        return owner != 0 && owner != thread + 1;
    }

    @Override
    public final String name(Object object) {
        if (isEntry(object)) {
            return taskOf(object) == null ? "root" : nameOf(object);
        }
        for (Map.Entry<String, Object> task : tasks.entrySet()) {
            if (task.getValue() == object) {
                return task.getKey();
            }
        }
        if (wheels.number(object) != null) {
            return String.valueOf(wheels.number(object));
        }
        int level = wheels.levels().indexOf(object);
        return level < 0 ? null : "level " + (level + 1);
    }

    private String nameOf(Object entry) {
        for (String name : taskOf.keySet()) {
            if (entry != null && tasks.get(taskOf.get(name)) == taskOf(entry)
                    && deadline.get(name).equals(Wheels.get(entry, "expirationMs"))) {
                return name;
            }
        }
        return null;
    }

    private List<String> namesOf(List<Object> entries) {
        return entries.stream().map(this::nameOf).toList();
    }

    @Override
    public final void shared(Shared out) {
        out.variable().number(clock.milliseconds());
        out.variable();
        wheels.levels().forEach(level -> out.number(Wheels.clock(level)));
        out.variable();
        wheels.buckets().forEach(bucket -> out.names(Wheels.content(bucket, this::nameOf)));
        out.variable();
        wheels.buckets().forEach(bucket -> out.number(Wheels.key(bucket)));
        out.variable();
        wheels.queued(out, queue);
        out.variable();
        tasks.values().forEach(task -> out.name(nameOf(entryOf(task))));
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
        for (Object bucket : wheels.buckets()) {
            if (owner(bucket) != 0) {
                return wheels.number(bucket);
            }
        }
        return 0;
    }
}
