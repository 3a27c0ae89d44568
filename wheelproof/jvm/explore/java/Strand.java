package wheelproof.explore;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A thread of a run, and the operation that it stands in front of. At most one is awake. */
final class Strand {
    /** Threads of a run, at most: sets of them are bits of a number. */
    static final int MOST = 16;

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
    /** Since it last wrote, waited or slept: where it has looked, and how often. */
    final Map<Site, Look> looks = new HashMap<>();

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
        if (next != Kind.ACCESS) {
            looks.clear();
        }
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

    /** Looks at a location without a change of it by another thread. */
    private static final class Look {
        final Location location;
        int written;
        int count;

        Look(Location location) {
            this.location = location;
            written = location.written;
        }

        boolean isOld(int index) {
            return location.written == written || location.writer == index;
        }
    }

    /** An access is about to be made: perhaps that of a loop that waits for a change. */
    void looksAt(Location where, Site place) {
        if (place.write && !place.compares) {
            looks.clear();
            return;
        }
        Look look = looks.get(place);
        if (look == null || look.location != where || !look.isOld(index)) {
            if (look != null) {
                looks.clear();
            }
            looks.put(place, new Look(where));
        } else {
            look.count++;
            look.written = where.written;
        }
    }

    /** Whether it has looked so often that another thread is to change what it looks at. */
    boolean polls(Execution execution) {
        Look look = kind == Kind.ACCESS ? looks.get(site) : null;
        if (look == null || look.location != location
                || look.count < Execution.LOOKS * execution.passes) {
            return false;
        }
        for (Look each : looks.values()) {
            if (!each.isOld(index)) {
                return false;
            }
        }
        return true;
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
                return !polls(execution);
            default:
                return true;
        }
    }

    /** Whether it waits for another thread's operation on a lock, not for a signal. */
    boolean waitsForLock() {
        return kind == Kind.LOCK || kind == Kind.JOIN || kind == Kind.REACQUIRE && notified;
    }
}
