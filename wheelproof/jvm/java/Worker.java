package wheelproof.jvm;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** One thread of a scenario. Workers are used again for each run; at most one of them is awake. */
final class Worker extends Thread {
    final int index;
    /** Where the thread stands: the site, its locals and operands, the object that it works on. */
    Site at;
    Object[] values;
    Object target;
    boolean ended;
    Throwable failure;
    /** Index of the operation under way in the thread's program. */
    int operation;
    /** What the operations that ended since the last step have returned. */
    final List<Object> results = new ArrayList<>();
    /** The callers' frames, outermost first. */
    Site[] callers = new Site[64];
    Object[][] callerValues = new Object[64][];
    int depth;
    Object tried;
    /** What the thread's last read of a field whose stores may be delayed has given. */
    Object seen;
    /** What each call under way of code that is not instrumented releases, outermost first. */
    private final List<List<Order.Key>> calls = new ArrayList<>();
    /** The first of them that is the JDK's, counted from 1; 0 for none. */
    private int closed;
    private volatile boolean awake;
    private volatile Execution execution;

    Worker(int index) {
        super("subject-" + index);
        this.index = index;
        setDaemon(true);
    }

    /** Prepares the thread for a run. */
    void begin(Execution next) {
        execution = next;
        at = null;
        values = null;
        target = null;
        ended = false;
        failure = null;
        operation = 0;
        results.clear();
        depth = 0;
        calls.clear();
        closed = 0;
        seen = null;
    }

    /** A call of code that is not instrumented begins; {@code jdk}: of the JDK's. */
    void enter(boolean jdk, List<Order.Key> keys) {
        calls.add(keys);
        if (jdk && closed == 0) {
            closed = calls.size();
        }
    }

    /** The innermost call ends; what it releases. A thread that is ended has none. */
    List<Order.Key> leave() {
        if (closed == calls.size()) {
            closed = 0;
        }
        return calls.isEmpty() ? List.of() : calls.remove(calls.size() - 1);
    }

    /** Whether a method of the JDK is under way, which may hold a lock of its own. */
    boolean inJdk() {
        return closed != 0;
    }

    /** How many frames of callers there are, and calls under way: a number for {@link #unwind}. */
    int mark() {
        return calls.size() << 16 | depth;
    }

    /** An exception has ended the frames and calls that were not there at the mark. */
    void unwind(int mark) {
        depth = Math.min(depth, mark & 0xffff);
        while (calls.size() > mark >>> 16) {
            leave();
        }
    }

    void push(Site site, Object[] frame) {
        if (depth == callers.length) {
            callers = java.util.Arrays.copyOf(callers, 2 * depth);
            callerValues = java.util.Arrays.copyOf(callerValues, 2 * depth);
        }
        callers[depth] = site;
        callerValues[depth++] = frame;
    }

    void sleep() {
        while (!awake) {
            LockSupport.park(this);
        }
        awake = false;
    }

    void wake() {
        awake = true;
        LockSupport.unpark(this);
    }

    @Override
    public void run() {
        while (true) {
            sleep();
            Execution mine = execution;
            try {
                mine.program(this);
            } catch (Abort over) {
                // the run is over
            } catch (Throwable raised) {
                failure = raised;
            }
            ended = true;
            at = null;
            mine.ended(this);
        }
    }
}
