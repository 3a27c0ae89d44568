package wheelproof.jvm;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * One run of a scenario under control. Exactly one thread is awake; it reads the state at each of
 * its steps and picks the next thread, and wakes it if that is another one.
 */
final class Execution {
    /** Picks the thread of the next step. */
    interface Policy {
        /** The thread's index, or -1 to end the run. {@code last}: who moved last, or -1. */
        int next(int state, int step, int last);
    }

    /** Without a step for so long, something blocks that no hook knows, or loops. */
    static final long STUCK_NANOS = Long.getLong("wheelproof.stuck", 60) * 1_000_000_000L;

    final Scenario scenario;
    final Harness harness;
    final Worker[] workers;
    final LockTable locks = new LockTable();
    /** Where stores of plain fields wait; null where memory is sequentially consistent. */
    final Memory memory;
    private final Races races;
    final Graph graph;
    int[] path = new int[128];
    int steps;
    long handedOver;
    String divergence;
    Throwable broken;
    private final Policy policy;
    private final StateReader reader;
    private final Shared shared;
    private final IdentityHashMap<Object, Boolean> met = new IdentityHashMap<>();
    private final SubjectLoader loader;
    private final Thread main = Thread.currentThread();
    private volatile boolean mainAwake;
    private boolean starting;
    private boolean ending;
    private int mover = -1;

    Execution(Subject subject, Scenario scenario, Graph graph, Policy policy) throws Exception {
        this.scenario = scenario;
        this.graph = graph;
        this.policy = policy;
        this.reader = subject.reader;
        this.loader = subject.loader;
        this.shared = new Shared(scenario);
        this.workers = subject.workers(scenario.threads.size());
        this.memory = subject.delayed.isEmpty() ? null : new Memory(subject.delayed);
        this.races = subject.races;
        races.begin(workers.length);
        Hooks.execution = this;
        this.harness = subject.harness(scenario);
    }

    /** Runs until the policy ends it. The last state stays readable until {@link #end}. */
    void run() {
        starting = true;
        for (Worker worker : workers) {
            worker.begin(this);
            worker.wake();
            sleepMain();
        }
        starting = false;
        path[0] = state();
        int first = policy.next(path[0], 0, -1);
        if (broken == null && first >= 0) {
            mover = first;
            workers[first].wake();
            sleepMain();
        }
    }

    /** Ends all threads where they stand. */
    void end() {
        ending = true;
        for (Worker worker : workers) {
            if (!worker.ended) {
                worker.wake();
                sleepMain();
            }
        }
    }

    /** The number of the last state. */
    int last() {
        return path[steps];
    }

    // -- in the workers' threads

    void program(Worker worker) throws Throwable {
        String[][] program = scenario.programs.get(worker.index);
        for (worker.operation = 0; worker.operation < program.length; worker.operation++) {
            worker.unwind(0);
            worker.results.add(harness.perform(program[worker.operation]));
        }
    }

    void point(Worker worker, Site site, Object[] values) {
        if (ending) {
            abortAgain(worker, site);
            return;
        }
        site.hits++;
        Object target = site.target(values);
        // a thread that stops inside of the JDK would keep the JDK's own lock
        if (site.label != Site.NONE && !worker.inJdk()) {
            stand(worker, site, values, target);
            harness.moves(site, values);
        } else if (locks.blocks(worker, site.kind, target)) {
            throw new IllegalStateException("a lock without a label would wait: " + site.key);
        }
        locks.effect(worker, site.kind, target);
        order(worker, site, target);
        if (site.kind == Site.Kind.CALL) {
            boolean jdk = target != null && target.getClass().getClassLoader() == null;
            worker.enter(jdk, Order.released(site, target));
        } else if (site.kind == Site.Kind.CALL_BACK) {
            refuseSecondListener(site, target);
            worker.push(site, values);
        }
    }

    /** In the JDK one of several listeners may run the others, amid the steps of a completion. */
    private void refuseSecondListener(Site site, Object target) {
        if (target instanceof CompletableFuture<?> future && future.getNumberOfDependents() > 1) {
            broken = new IllegalStateException(site.key + ": a CompletableFuture has "
                    + future.getNumberOfDependents() + " listeners, and can be stepped with one");
            throw Abort.INSTANCE;
        }
    }

    /** A call has ended: what it has written on its way is released with its effect. */
    void left(Worker worker) {
        for (Order.Key key : worker.leave()) {
            races.release(worker, key);
        }
    }

    /** What the instruction orders, and what it accesses. */
    private void order(Worker worker, Site site, Object target) {
        for (Order.Key key : Order.acquired(site, target)) {
            races.acquire(worker, key);
            if (memory != null) {
                memory.acquire(worker, key);
            }
        }
        if (site.field != null && target != null) {
            races.access(worker, site, target);
            if (memory != null) {
                memory.access(worker, site, target);
            }
        }
        for (Order.Key key : Order.released(site, target)) {
            races.release(worker, key);
            if (memory != null) {
                memory.release(worker, key);
            }
        }
    }

    /** A tryLock has taken the lock. */
    void tookLock(Worker worker, Object lock) {
        locks.take(worker, lock);
        Order.Key key = new Order.Key(Hooks.lockOf(lock), null);
        races.acquire(worker, key);
        if (memory != null) {
            memory.acquire(worker, key);
        }
    }

    void call(Worker worker, Site site, Object[] values) {
        if (ending) {
            abortAgain(worker, site);
        } else {
            site.hits++;
            if (site.label != Site.NONE && !worker.inJdk()) {
                stand(worker, site, values, null);
                harness.moves(site, values);
            }
        }
        worker.push(site, values);
    }

    /** Code that has caught the end of its thread goes on no further than to its next step. */
    private static void abortAgain(Worker worker, Site site) {
        boolean step = site.label != Site.NONE && !worker.inJdk();
        if (step && !site.kind.releases()) {
            throw Abort.INSTANCE;
        }
    }

    private void stand(Worker worker, Site site, Object[] values, Object target) {
        worker.at = site;
        worker.values = values;
        worker.target = target;
        if (starting) {
            wakeMain();
            worker.sleep();
        } else {
            int next = stepped();
            if (next != worker.index) {
                handOver(next);
                worker.sleep();
            }
        }
        if (ending) {
            throw Abort.INSTANCE;
        }
    }

    void ended(Worker worker) {
        if (starting || ending) {
            wakeMain();
        } else {
            handOver(stepped());
        }
    }

    private void handOver(int next) {
        if (next < 0) {
            wakeMain();
        } else {
            handedOver++;
            workers[next].wake();
        }
    }

    /** A step has ended: notes it, and picks the next thread. */
    private int stepped() {
        try {
            int from = path[steps];
            int to = state();
            int result = graph.resultNumber(resultsOf(workers[mover]));
            if (!graph.step(from, mover, to, result) && divergence == null) {
                divergence = "step " + (steps + 1) + " of " + scenario.threads.get(mover)
                        + " led to another state than before";
            }
            steps++;
            if (steps == path.length) {
                path = Arrays.copyOf(path, 2 * steps);
            }
            path[steps] = to;
            boolean over = divergence != null || broken != null || workers[mover].failure != null;
            int next = over ? -1 : policy.next(to, steps, mover);
            mover = next;
            return next;
        } catch (Throwable error) {
            broken = error;
            return -1;
        }
    }

    private static String resultsOf(Worker worker) {
        if (worker.results.isEmpty()) {
            return "[]";
        }
        StringBuilder text = new StringBuilder("[");
        for (Object result : worker.results) {
            text.append(text.length() == 1 ? "" : ",").append(Json.of(result));
        }
        worker.results.clear();
        return text.append("]").toString();
    }

    // -- the state

    private int state() {
        Hooks.quiet = true;
        try {
            for (Worker worker : workers) {
                meet(worker);
            }
            races.beside(workers);
            shared.begin();
            harness.shared(shared);
            int[] threads = new int[workers.length];
            for (Worker worker : workers) {
                int label = worker.ended ? 0 : label(worker);
                threads[worker.index] = label * 4 + standing(worker).ordinal();
            }
            int before = steps == 0 && mover < 0 ? -1 : path[steps];
            return graph.state(reader.read(this), shared.taken(), threads, before, mover);
        } finally {
            Hooks.quiet = false;
        }
    }

    /**
     * The label of a thread's next step. At a step of an operation below, which the model takes as
     * a whole, it is "(inside LABEL) SITE", without a LABEL where no call says which.
     */
    private int label(Worker worker) {
        String name = scenario.labels.get(worker.at.label);
        if (!name.equals(Scenario.BELOW)) {
            return worker.at.label;
        }
        String inside = "";
        for (int caller = worker.depth - 1; caller >= 0 && inside.isEmpty(); caller--) {
            inside = scenario.insideOf.getOrDefault(worker.callers[caller].key, "");
        }
        return scenario.label("(inside " + inside + ") " + worker.at.key);
    }

    private Graph.Standing standing(Worker worker) {
        if (worker.ended) {
            return worker.failure == null ? Graph.Standing.ENDED : Graph.Standing.FAILED;
        }
        boolean waits = locks.blocks(worker, worker.at.kind, worker.target)
                || harness.waits(worker.index, worker.at, worker.target, worker.values);
        return waits ? Graph.Standing.WAITS : Graph.Standing.MOVES;
    }

    private void meet(Worker worker) {
        if (worker.ended) {
            return;
        }
        for (int caller = 0; caller < worker.depth; caller++) {
            meet(worker.callerValues[caller]);
        }
        meet(worker.values);
    }

    private void meet(Object[] values) {
        for (Object value : values) {
            if (value != null && loader.isSubject(value.getClass())
                    && met.put(value, true) == null) {
                harness.met(value);
            }
        }
    }

    // -- the main thread

    private void wakeMain() {
        mainAwake = true;
        LockSupport.unpark(main);
    }

    private void sleepMain() {
        long began = System.nanoTime();
        while (!mainAwake) {
            LockSupport.parkNanos(this, STUCK_NANOS);
            if (!mainAwake && System.nanoTime() - began > STUCK_NANOS && !progressed()) {
                Stuck.halt(workers);
            }
        }
        mainAwake = false;
    }

    private int stepsSeen = -1;

    private boolean progressed() {
        boolean moved = steps != stepsSeen;
        stepsSeen = steps;
        return moved;
    }
}
