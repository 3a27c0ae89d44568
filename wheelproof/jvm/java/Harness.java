package wheelproof.jvm;

import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How the threads of a scenario call the subject, and how its objects read as the model's shared
 * variables. The loader of the subject loads it, with a constructor that takes a {@link Scenario}.
 * The object is the root of the state: all of its fields that are not transient belong to it.
 */
public abstract class Harness {
    /** The step of {@link #writeBack}. */
    protected static final String WRITE_BACK = "write_back";

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

    /** A thread goes on from a step; an exception ends its operation instead. */
    protected void moves(Site site, Object[] values) { }

    /**
     * A step that brings a store of a thread into a field to memory, the oldest one; false where
     * there is none any more, for good.
     */
    protected final boolean writeBack(int thread, String field) {
        step(WRITE_BACK);
        Memory memory = Hooks.execution.memory;
        Memory.Store store = memory.oldest(thread, field);
        if (store != null) {
            memory.bring(store);
        }
        return store != null;
    }

    /** Whether {@link #writeBack} has to wait: the thread may store into the field yet. */
    protected final boolean noStore(int thread, String field) {
        Execution now = Hooks.execution;
        return now.memory.oldest(thread, field) == null && !now.workers[thread].ended;
    }

    /** A store on its way to memory. {@code marks}: released since, (object, field or null). */
    protected record Stored(int thread, String field, Object object, Object value,
            List<Map.Entry<Object, String>> marks) { }

    /** The stores that are on their way, oldest first; none where memory delays nothing. */
    protected final List<Stored> stores() {
        List<Stored> all = new ArrayList<>();
        Memory memory = Hooks.execution.memory;
        for (Memory.Store store : memory == null ? List.<Memory.Store>of() : memory.stores) {
            List<Map.Entry<Object, String>> marks = new ArrayList<>();
            store.marks().forEach(mark -> marks.add(new AbstractMap.SimpleEntry<>(mark.object(),
                    mark.part() instanceof ClassTable.Declared field ? field.simple() : null)));
            all.add(new Stored(store.owner().index, store.field().simple(), store.object(),
                    store.value(), marks));
        }
        return all;
    }

    /** What the running thread's last read of a field whose stores may be late has given. */
    protected final Object seen() {
        return Thread.currentThread() instanceof Worker worker ? worker.seen : null;
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
