package wheelproof.jvm;

/**
 * How the threads of a scenario call the subject, and how its objects read as the model's shared
 * variables. The loader of the subject loads it, with a constructor that takes a {@link Scenario}.
 * The object is the root of the state: all of its fields that are not transient belong to it.
 */
public abstract class Harness {
    /** Performs one operation of a thread's program, in that thread; what it returns. */
    public abstract Object perform(String[] operation) throws Throwable;

    /** Writes the model's shared variables, in the order of the model. */
    public abstract void shared(Shared out);

    /** An object of the subject's classes that is seen for the first time in this run. */
    public void met(Object object) { }

    /** The scenario's name of an object, for people; null where it has none. */
    public String name(Object object) {
        return null;
    }

    /**
     * Whether a step has to wait although it is no lock operation: an empty queue, or an operation
     * that is one step here and whose lock another thread holds.
     */
    public boolean waits(int thread, Site site, Object target, Object[] values) {
        return false;
    }

    /** A step of the harness itself; labels call it {@code harness:step}. */
    protected final void step(String step, Object... values) {
        Hooks.harnessStep(step, values);
    }

    /** The index of the thread that runs. */
    protected final int thread() {
        return Thread.currentThread() instanceof Worker worker ? worker.index : -1;
    }

    /** The locals and operands of the running thread at its last step; empty before the first. */
    protected final Object[] frame() {
        boolean stood = Thread.currentThread() instanceof Worker worker && worker.values != null;
        return stood ? ((Worker) Thread.currentThread()).values : new Object[0];
    }

    /** The thread in a lock, counted from 1; 0 where none is. */
    protected final int owner(Object lock) {
        LockTable.Entry entry = Hooks.execution.locks.held(lock);
        return entry == null || entry.owner == null ? 0 : entry.owner.index + 1;
    }

    /** How often the lock was entered. */
    protected final int depth(Object lock) {
        LockTable.Entry entry = Hooks.execution.locks.held(lock);
        return entry == null ? 0 : entry.depth;
    }

    /** A bit for each thread that has the lock for reading. */
    protected final int readers(Object lock) {
        LockTable.Entry entry = Hooks.execution.locks.held(lock);
        return entry == null ? 0 : entry.readers;
    }
}
