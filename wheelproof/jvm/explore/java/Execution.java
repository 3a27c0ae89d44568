package wheelproof.explore;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import wheelproof.explore.Result.Ending;
import wheelproof.explore.Strand.Kind;

/** One run after the other: threads that hand a token on, and what orders their operations. */
final class Execution {
    /** The process has one. */
    static final Execution CURRENT = new Execution();

    static final long BEGIN_NANOS = 1_000_000_000_000L;
    /** About a year: a wait lasts no longer, so that the clock does not run over. */
    private static final long LONGEST_NANOS = 1L << 55;
    private static final long STUCK_NANOS = Long.getLong("wheelproof.stuck", 20) * 1_000_000_000L;
    private static final long CHECK_NANOS = 1_000_000_000L;
    /** The exit code of a process in which no thread makes a step. */
    private static final int STUCK = 98;
    private static final Site END = Site.at(Site.own("end", "thread"));

    /** Accesses of a thread without an operation, after which others move first. */
    private static final int SPIN = 20_000;

    /**
     * How often a thread sleeps or yields at a place before another one has to move first. A loop
     * looks {@code LOOKS} times as often at a place before another thread has to change it.
     */
    int passes = 1;
    static final int LOOKS = 3;
    /** Limits of one run. */
    int mostPoints = 20_000;
    int mostAccesses = 400_000;

    final Strand[] strands = new Strand[Strand.MOST];
    final Events events = new Events();
    final Conflicts conflicts = new Conflicts(this);
    private final List<Carrier> pool = new ArrayList<>();
    private final Map<Thread, Strand> byUser = new IdentityHashMap<>();
    int count;
    int last;
    int preemptions;
    /** The threads that can move without a time-out and do not come from a sleep, as bits. */
    int prompt;
    /** Virtual time. */
    long nanos;
    Scheduler scheduler;
    /** Of the last run. */
    Recorder recorder;
    Result result;
    /** Code that has no hooks accessed an object that threads share. */
    String unseen;
    boolean shared;
    /** Whether a thread that sleeps, yields or polls has had to let another one move. */
    boolean fair;
    /** Of all runs: releases, interrupts and ends of threads are events, once one matters. */
    boolean unlocks;
    boolean interrupts;
    boolean ends;
    long runs;
    long allPoints;
    long allAccesses;
    private int accesses;
    /** The number of steps when another thread had moved. */
    private int aloneSince;
    private boolean over;
    private volatile boolean awake;
    private Thread explorer;

    /** Runs a program in the order of a scheduler. */
    Result run(Runnable body, Scheduler order, Recorder columns) {
        scheduler = order;
        recorder = columns;
        Initial.restore();
        Places.begin();
        Opaque.begin();
        events.clear();
        byUser.clear();
        count = 0;
        last = 0;
        preemptions = 0;
        accesses = 0;
        aloneSince = 0;
        nanos = BEGIN_NANOS;
        result = null;
        over = false;
        runs++;
        explorer = Thread.currentThread();
        awake = false;
        order.begin(this);
        Strand main = add(new Thread(null, null, "main"), body, null);
        main.carrier.wake();
        await();
        if (columns != null) {
            columns.stops();
        }
        over = true;
        for (int index = 0; index < count; index++) {
            if (!strands[index].ended) {
                strands[index].carrier.wake();
                await();
            }
        }
        allPoints += events.size();
        allAccesses += accesses;
        return result;
    }

    /** The strand of the calling thread; null outside of a run and in a static initialiser. */
    static Strand me() {
        if (Thread.currentThread() instanceof Carrier carrier) {
            Strand strand = carrier.strand;
            return strand == null || strand.quiet > 0 ? null : strand;
        }
        return null;
    }

    Strand of(Thread user) {
        return byUser.get(user);
    }

    Strand add(Thread user, Runnable body, Strand parent) {
        if (count == Strand.MOST) {
            throw stop(parent, Result.of(Ending.CUT, "more than " + Strand.MOST + " threads"));
        }
        if (count == pool.size()) {
            Carrier fresh = new Carrier(this, count);
            pool.add(fresh);
            fresh.start();
        }
        Carrier carrier = pool.get(count);
        String name = user.getName();
        String label = name.matches("Thread-\\d+") ? "Thread-" + count : name;
        for (int index = 0; index < count; index++) {
            if (strands[index].label.equals(label)) {
                label = name + " (" + count + ")";
            }
        }
        Strand strand = new Strand(count, user, carrier, parent, label);
        carrier.strand = strand;
        carrier.body = body;
        strands[count++] = strand;
        byUser.put(user, strand);
        return strand;
    }

    /** A thread starts: it runs to its first operation at once. */
    void start(Strand parent, Thread user, Runnable body) {
        check(parent);
        Strand strand = add(user, body, parent);
        parent.clock[parent.index]++;
        strand.carrier.wake();
        parent.carrier.sleep();
        check(parent);
    }

    boolean isOver() {
        return over;
    }

    int steps() {
        return accesses + events.size();
    }

    /** The run may be over: unwinds the thread. */
    void check(Strand strand) {
        if (over) {
            throw strand.carrier.abort();
        }
    }

    /** The run ends here; does not return. */
    Abort stop(Strand strand, Result why) {
        if (result == null) {
            result = why;
        }
        wakeExplorer();
        strand.carrier.sleep();
        throw strand.carrier.abort();
    }

    /** The thread stands in front of an operation: who moves is chosen, until it is its turn. */
    void point(Strand strand) {
        check(strand);
        if (events.size() > mostPoints) {
            throw stop(strand, limit(strand, mostPoints + " operations"));
        }
        if (recorder != null) {
            recorder.stands(strand);
        }
        if (strand.starting && strand.parent != null) {
            strand.starting = false;
            strand.parent.carrier.wake();
            strand.carrier.sleep();
            check(strand);
            return;
        }
        strand.starting = false;
        Strand next = next();
        if (next != strand) {
            hand(next);
            strand.carrier.sleep();
            check(strand);
        }
    }

    private void hand(Strand next) {
        if (next == null) {
            wakeExplorer();
        } else {
            next.carrier.wake();
        }
    }

    /** An access of what threads may share: an operation where its place is visible. */
    void access(Strand strand, Object object, long offset, Site site) {
        check(strand);
        if (++accesses > mostAccesses) {
            throw stop(strand, limit(strand, mostAccesses + " accesses"));
        }
        if (++strand.alone > SPIN) {
            strand.alone = 0;
            rest(strand, site, 0);
        }
        Places places = Places.of(object);
        Location location = places.at(offset);
        boolean write = site.write;
        location.note(strand.index, write);
        shared |= location.isShared();
        if (site.visible) {
            strand.at(Kind.ACCESS, location, write, site, object).offset = offset;
            strand.looksAt(location, site);
            point(strand);
        } else {
            conflicts.quiet(strand, location, site, write);
        }
        if (places.elements != null) {
            conflicts.quiet(strand, places.elements, site, write);
        }
        location.remember(strand, site, write);
    }

    /** Code without hooks accesses elements of an array: any of them. */
    void elements(Strand strand, Object array, Site site) {
        check(strand);
        Places places = Places.of(array);
        if (places.elements == null) {
            places.elements = new Location();
        }
        places.forEach(element -> conflicts.quiet(strand, element, site, site.write));
        conflicts.quiet(strand, places.elements, site, site.write);
        places.elements.remember(strand, site, site.write);
    }

    /** Sleeps or yields: there another thread can move, and in the end it has to. */
    void pause(Strand strand, Site site, long duration) {
        check(strand);
        if (strand.slept.merge(site, 1, Integer::sum) <= passes) {
            strand.rested = true;
            strand.looks.clear();
            pass(duration);
            if (recorder != null) {
                recorder.notes(strand, Kind.SLEEP, null, site);
            }
        } else {
            rest(strand, site, duration);
        }
    }

    /** Another thread moves first, if one can. */
    private void rest(Strand strand, Site site, long duration) {
        strand.at(Kind.SLEEP, null, false, site, null).since = events.size();
        point(strand);
        pass(duration);
    }

    /** A time-out has come, or a sleep is over. */
    void pass(long duration) {
        nanos += Math.max(0, Math.min(duration, LONGEST_NANOS));
    }

    boolean hasMovedSince(Strand strand) {
        for (int event = events.size() - 1; event >= strand.since; event--) {
            if (events.mover(event) != strand.index) {
                return true;
            }
        }
        return false;
    }

    /** An endless loop where one thread alone has moved for long, else a run that is cut. */
    private Result limit(Strand strand, String what) {
        return steps() - aloneSince > mostPoints / 2 && Waiting.isAlone(this, strand)
                ? Result.failed(Result.ENDLESS, "endless loop in " + strand.label, strand.label)
                : Result.of(Ending.CUT, what);
    }

    /** Chooses who moves, and makes the operation an event; null where the run ends. */
    private Strand next() {
        if (result != null) {
            return null;
        }
        int enabled = 0;
        int alive = 0;
        prompt = 0;
        for (int index = 0; index < count; index++) {
            if (!strands[index].ended) {
                alive++;
                enabled |= strands[index].isEnabled(true, this) ? 1 << index : 0;
                prompt |= !strands[index].rested && strands[index].isEnabled(false, this)
                        ? 1 << index : 0;
            }
        }
        if (alive == 0 || strands[0].ended && Waiting.isIdle(this)) {
            result = Waiting.locked(this);
            result = result == null ? Result.of(Ending.DONE, "") : result;
            scheduler.blocked(this);
            return null;
        }
        int resting = 0;
        for (int index = 0; index < count; index++) {
            boolean sleeps = !strands[index].ended && (enabled & 1 << index) == 0
                    && (strands[index].kind == Kind.SLEEP || strands[index].polls(this));
            resting |= sleeps ? 1 << index : 0;
        }
        fair |= enabled != 0 && resting != 0;
        enabled = enabled == 0 ? resting : enabled;
        if (enabled == 0) {
            result = Waiting.stuck(this);
            scheduler.blocked(this);
            return null;
        }
        int chosen = scheduler.pick(this, enabled);
        if (chosen < 0) {
            result = scheduler.why();
            return null;
        }
        boolean preempts = chosen != last && (prompt & 1 << last) != 0;
        boolean stays = chosen != last && (enabled & 1 << last) != 0;
        preemptions += preempts ? 1 : 0;
        aloneSince = chosen != last ? steps() : aloneSince;
        last = chosen;
        Strand strand = strands[chosen];
        if (recorder != null) {
            recorder.moves(strand, preempts, stays);
        }
        commit(strand);
        return strand;
    }

    private void commit(Strand strand) {
        int event = events.begin(strand);
        strand.alone = 0;
        strand.rested = false;
        strand.clock[strand.index]++;
        if (strand.location != null) {
            conflicts.order(strand, event);
        }
        if (strand.also != null) {
            conflicts.orderRead(strand, event, strand.also);
        }
        if (strand.kind == Kind.JOIN && strand.target.ended) {
            Clocks.join(strand.clock, strand.target.clock);
        }
        events.end(event, strand);
        strand.clock[strand.index]++;
    }

    /** A thread's body has ended; called by its carrier. */
    void ended(Strand strand) {
        if (!over && strand.failure == null && ends) {
            point(strand.at(Kind.END, strand.life, true, END, strand.user));
        }
        strand.ended = true;
        if (over) {
            wakeExplorer();
        } else if (strand.failure != null) {
            result = result == null ? Result.raised(strand.failure, strand.label) : result;
            wakeExplorer();
        } else if (strand.starting && strand.parent != null) {
            strand.starting = false;
            strand.parent.carrier.wake();
        } else {
            strand.starting = false;
            hand(next());
        }
    }

    /** A thread has been unwound at its very end. */
    void left(Strand strand) {
        strand.ended = true;
        wakeExplorer();
    }

    /** A carrier does not let its thread be unwound: another one takes its place. */
    void leave(Carrier carrier) {
        Carrier fresh = new Carrier(this, pool.size());
        pool.set(pool.indexOf(carrier), fresh);
        fresh.start();
        wakeExplorer();
    }

    private void wakeExplorer() {
        awake = true;
        LockSupport.unpark(explorer);
    }

    private void await() {
        long since = System.nanoTime();
        long seen = 0;
        while (!awake) {
            LockSupport.parkNanos(this, CHECK_NANOS);
            long steps = steps() + Loader.count();
            since = steps == seen ? since : System.nanoTime();
            seen = steps;
            if (!awake && System.nanoTime() - since > STUCK_NANOS) {
                halt();
            }
        }
        awake = false;
    }

    private void halt() {
        StringBuilder text = new StringBuilder("no step for ").append(STUCK_NANOS / 1_000_000_000L)
                .append(" s: a call without a hook blocks, or a loop without a shared access\n");
        for (Carrier carrier : pool) {
            text.append(carrier.getName()).append('\n');
            for (StackTraceElement frame : carrier.getStackTrace()) {
                text.append("    ").append(frame).append('\n');
            }
        }
        Main.ERRORS.print(text);
        Main.ERRORS.flush();
        Runtime.getRuntime().halt(STUCK);
    }
}
