package wheelproof.explore;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A thread of a run, and the operation that it stands in front of. At most one is awake. */
final class Strand {
    /** Threads of a run, at most: sets of them are bits of a number. */
    static final int MOST = 16;

    /** Times that a loop looks at the same place before another thread has to change it. */
    private static final int POLLS = 20;

    /** The kinds of operations. */
    enum Kind {
        ACCESS("read"), LOCK("acquire"), TRY("try to acquire"), REACQUIRE("acquire"),
        PARK("park"), JOIN("join"), SLEEP("sleep"), UNLOCK("release"), END("end");

        final String verb;

        Kind(String verb) {
            this.verb = verb;
        }
    }

    final int index;
    /** The thread as the program knows it; it is never started. */
    final Thread user;
    final Carrier carrier;
    final Strand parent;
    final String label;
    final int[] clock = new int[MOST];
    /** What an unpark, an interrupt and an end of the thread write. */
    final Location permits = new Location();
    final Location life = new Location();
    /** The locks that it holds, in the order in which it took them. */
    final List<Object> held = new ArrayList<>();

    Kind kind;
    Location location;
    /** A second location that the operation reads; null for none. */
    Location also;
    boolean write;
    Site site;
    Object object;
    long offset;
    Monitor monitor;
    Strand target;
    boolean timed;
    /** Of a wait: the depth of the monitor that it gave back, and the monitor with the waiters. */
    boolean notified;
    /** Where it has slept or yielded in the run, and how often. */
    final Map<Site, Integer> slept = new HashMap<>();
    /** Whether it has slept since its last operation: another one moves without a preemption. */
    boolean rested;
    /** Of a sleep: the number of events at its beginning. */
    int since;

    boolean starting = true;
    boolean ended;
    boolean permit;
    boolean interrupted;
    /** Above 0 within a static initialiser, which is not interleaved. */
    int quiet;
    /** Accesses since the last scheduling point. */
    int alone;
    int aborts;
    Throwable failure;
    /** Of accesses that are repeated: where, the last write there, and how often. */
    private Location repeated;
    private Site repeatedAt;
    private int repeatedWrite;
    private int repetitions;

    Strand(int index, Thread user, Carrier carrier, Strand parent, String label) {
        this.index = index;
        this.user = user;
        this.carrier = carrier;
        this.parent = parent;
        this.label = label;
        if (parent != null) {
            System.arraycopy(parent.clock, 0, clock, 0, MOST);
        }
        clock[index] = 1;
    }

    /** Prepares an operation. */
    Strand at(Kind next, Location where, boolean writes, Site place, Object on) {
        kind = next;
        location = where;
        also = null;
        write = writes;
        site = place;
        object = on;
        offset = Places.WHOLE;
        monitor = null;
        target = null;
        timed = false;
        return this;
    }

    /** An access is about to be made: whether it is one of a loop that waits for a change. */
    void repeat(Location where, Site place) {
        boolean same = where == repeated && place == repeatedAt
                && (where.written == repeatedWrite || where.writer == index);
        repetitions = same ? repetitions + 1 : 0;
        repeated = where;
        repeatedAt = place;
        repeatedWrite = where.written;
    }

    /** Whether it has looked so often that another thread is to change what it looks at. */
    boolean polls() {
        return kind == Kind.ACCESS && repetitions > POLLS && location == repeated
                && (location.written == repeatedWrite || location.writer == index);
    }

    /** Whether the operation can be done. {@code timeOuts}: waits with a time-out may end. */
    boolean isEnabled(boolean timeOuts, Execution execution) {
        switch (kind) {
            case LOCK:
                return monitor.owner == null || monitor.owner == this
                        || interrupted && also != null;
            case REACQUIRE:
                return (notified || interrupted || timed && timeOuts) && monitor.owner == null;
            case PARK:
                return permit || interrupted || timed && timeOuts;
            case JOIN:
                return target.ended || interrupted || timed && timeOuts;
            case SLEEP:
                return interrupted || execution.hasMovedSince(this);
            case ACCESS:
                return !polls();
            default:
                return true;
        }
    }

    /** Whether it waits for another thread's operation on a lock, not for a signal. */
    boolean waitsForLock() {
        return kind == Kind.LOCK || kind == Kind.JOIN || kind == Kind.REACQUIRE && notified;
    }
}
