package wheelproof.jvm;

import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * What instrumented code calls. Threads other than workers pass through, and so does everybody
 * while the state is being read.
 */
public final class Hooks {
    static Execution execution;
    static Sites sites;
    /** The state is being read, in a worker's thread: instrumented methods may be called for it. */
    static boolean quiet;

    private Hooks() { }

    private static Worker worker() {
        return !quiet && Thread.currentThread() instanceof Worker worker ? worker : null;
    }

    /** In front of a hooked instruction, with the frame's locals and operands. */
    public static void point(int site, Object[] values) {
        Worker worker = worker();
        if (worker != null) {
            execution.point(worker, sites.get(site), values);
        }
    }

    /** Where an exception leaves a synchronized method: in front of the unlock. */
    public static void raised(int site, Object[] values) {
        point(site, values);
    }

    /** In front of a call of the subject's code: the caller's frame. */
    public static void call(int site, Object[] values) {
        Worker worker = worker();
        if (worker != null) {
            execution.call(worker, sites.get(site), values);
        }
    }

    /** Behind such a call. */
    public static void back() {
        Worker worker = worker();
        if (worker != null && worker.depth > 0) {
            worker.depth--;
        }
    }

    /** Behind a call of code that is not instrumented. */
    public static void left() {
        Worker worker = worker();
        if (worker != null) {
            execution.left(worker);
        }
    }

    /** Behind an access of a field whose stores may be delayed. */
    public static void accessed() {
        Worker worker = worker();
        if (worker != null && execution.memory != null) {
            execution.memory.accessed(worker);
        }
    }

    /** The frames and calls under way, taken when a method with exception handlers begins. */
    public static int depth() {
        Worker worker = worker();
        return worker == null ? 0 : worker.mark();
    }

    /** In an exception handler: the frames of calls that the exception ended are dropped. */
    public static void unwind(int depth) {
        Worker worker = worker();
        if (worker != null) {
            worker.unwind(depth);
        }
    }

    /** Behind a tryLock: the real result decides. */
    public static void tried(boolean taken) {
        Worker worker = worker();
        if (worker != null && taken) {
            execution.tookLock(worker, worker.tried);
        }
    }

    /** A step that the harness performs itself, such as the executor's submit. */
    static void harnessStep(String step, Object... values) {
        Worker worker = worker();
        if (worker != null) {
            execution.point(worker, sites.ofHarness(step), values);
        }
    }

    /** The read/write lock of a half, or the object itself. */
    static Object lockOf(Object lock) {
        return lock instanceof ReentrantReadWriteLock.ReadLock
                || lock instanceof ReentrantReadWriteLock.WriteLock
                || lock instanceof ReentrantReadWriteLock ? ReadWriteLocks.sync(lock) : lock;
    }
}
