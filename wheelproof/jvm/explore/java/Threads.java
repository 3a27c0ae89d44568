package wheelproof.explore;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import wheelproof.explore.Strand.Kind;

/** What code with hooks calls in the place of methods of Thread, LockSupport and clocks. */
public final class Threads {
    private static final Execution RUN = Execution.CURRENT;
    private static final int LOOK = Site.own("look at", "Thread.interrupted");

    private Threads() { }

    public static Thread currentThread() {
        Strand strand = Execution.me();
        return strand == null ? Thread.currentThread() : strand.user;
    }

    public static void start(Thread thread, int id) {
        Strand strand = Execution.me();
        if (strand == null) {
            throw new Refused("Thread.start in a static initialiser", Columns.place(Site.at(id)));
        }
        if (RUN.of(thread) != null) {
            throw new IllegalThreadStateException();
        }
        RUN.start(strand, thread, thread::run);
    }

    public static void join(Thread thread, int id) throws InterruptedException {
        join(thread, 0, id);
    }

    public static void join(Thread thread, long millis, int id) throws InterruptedException {
        Strand strand = Execution.me();
        Strand target = RUN.of(thread);
        if (strand == null || target == null) {
            return;
        }
        if (millis > 0) {
            asksForEnds();
        }
        strand.at(Kind.JOIN, target.life, false, Site.at(id), thread).target = target;
        strand.timed = millis > 0;
        if (RUN.interrupts) {
            strand.also = strand.permits;
        }
        RUN.point(strand);
        if (!target.ended && strand.interrupted) {
            strand.interrupted = false;
            throw new InterruptedException();
        }
        RUN.pass(target.ended ? 0 : nanos(millis));
    }

    private static void asksForEnds() {
        if (!RUN.ends) {
            RUN.ends = true;
            RUN.conflicts.change();
        }
    }

    /** Looks whether a thread has ended: an operation, as its answer depends on the order. */
    private static Strand look(Thread thread, int id) {
        Strand strand = Execution.me();
        Strand target = RUN.of(thread);
        if (strand != null && target != null && strand != target) {
            asksForEnds();
            strand.at(Kind.ACCESS, target.life, false, Site.at(id), thread);
            RUN.point(strand);
        }
        return target;
    }

    public static boolean isAlive(Thread thread, int id) {
        Strand target = look(thread, id);
        return target != null && !target.ended;
    }

    public static Thread.State getState(Thread thread, int id) {
        Strand target = look(thread, id);
        if (target == null) {
            return Thread.State.NEW;
        }
        return target.ended ? Thread.State.TERMINATED : Thread.State.RUNNABLE;
    }

    public static long getId(Thread thread) {
        Strand strand = RUN.of(thread);
        return strand == null ? thread.getId() : strand.index + 1;
    }

    // interrupts

    private static void asksForInterrupts() {
        if (!RUN.interrupts) {
            RUN.interrupts = true;
            RUN.conflicts.change();
        }
    }

    public static void interrupt(Thread thread, int id) {
        Strand strand = Execution.me();
        Strand target = RUN.of(thread);
        if (strand == null || target == null) {
            return;
        }
        asksForInterrupts();
        strand.at(Kind.ACCESS, target.permits, true, Site.at(id), thread);
        RUN.point(strand);
        target.interrupted = true;
    }

    /** Looks at a thread's flag: an operation where anybody interrupts. */
    private static boolean flag(Strand target, boolean takes, int id) {
        Strand strand = Execution.me();
        if (strand == null || target == null) {
            return false;
        }
        if (RUN.interrupts) {
            strand.at(Kind.ACCESS, target.permits, takes, Site.at(id), target.user);
            RUN.point(strand);
        }
        return target.interrupted;
    }

    public static boolean isInterrupted(Thread thread, int id) {
        return flag(RUN.of(thread), false, id);
    }

    public static boolean interrupted(int id) {
        Strand strand = Execution.me();
        boolean is = flag(strand, true, id);
        if (strand != null) {
            strand.interrupted = false;
        }
        return is;
    }

    /** Whether the thread was interrupted, as an operation; the flag is taken back. */
    static boolean tookInterrupt(Strand strand) {
        if (RUN.interrupts) {
            strand.at(Kind.ACCESS, strand.permits, true, Site.at(LOOK), strand.user);
            RUN.point(strand);
        }
        boolean was = strand.interrupted;
        strand.interrupted = false;
        return was;
    }

    // sleeping and parking

    static long nanos(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    public static void sleep(long millis, int id) throws InterruptedException {
        doze(nanos(millis), id);
    }

    public static void sleep(long millis, int nanos, int id) throws InterruptedException {
        doze(nanos(millis) + nanos, id);
    }

    public static void sleep(TimeUnit unit, long time, int id) throws InterruptedException {
        doze(unit.toNanos(time), id);
    }

    private static void doze(long nanos, int id) throws InterruptedException {
        Strand strand = Execution.me();
        if (strand == null) {
            return;
        }
        RUN.pause(strand, Site.at(id), nanos);
        if (Threads.tookInterrupt(strand)) {
            throw new InterruptedException();
        }
    }

    public static void yield(int id) {
        Strand strand = Execution.me();
        if (strand != null) {
            RUN.pause(strand, Site.at(id), 0);
        }
    }

    private static void park(boolean timed, long nanos, int id) {
        Strand strand = Execution.me();
        if (strand == null) {
            return;
        }
        strand.at(Kind.PARK, strand.permits, true, Site.at(id), strand.user);
        strand.timed = timed;
        RUN.point(strand);
        RUN.pass(strand.permit || strand.interrupted ? 0 : nanos);
        strand.permit = false;
    }

    public static void park(int id) {
        park(false, 0, id);
    }

    public static void park(Object blocker, int id) {
        park(false, 0, id);
    }

    public static void parkNanos(long nanos, int id) {
        if (nanos > 0) {
            park(true, nanos, id);
        }
    }

    public static void parkNanos(Object blocker, long nanos, int id) {
        parkNanos(nanos, id);
    }

    public static void parkUntil(Object blocker, long deadline, int id) {
        parkUntil(deadline, id);
    }

    public static void parkUntil(long deadline, int id) {
        parkNanos(Math.max(1, nanos(deadline) - RUN.nanos), id);
    }

    public static void unpark(Thread thread, int id) {
        Strand strand = Execution.me();
        if (strand == null) {
            LockSupport.unpark(thread);
            return;
        }
        Strand target = thread == null ? null : RUN.of(thread);
        if (target != null) {
            strand.at(Kind.ACCESS, target.permits, true, Site.at(id), thread);
            RUN.point(strand);
            target.permit = true;
        }
    }

    // clocks; a static initialiser reads the time at which each run begins

    public static long nanoTime() {
        return Execution.me() == null ? Execution.BEGIN_NANOS : RUN.nanos;
    }

    public static long currentTimeMillis() {
        return nanoTime() / 1_000_000;
    }

    public static Instant now() {
        return Instant.ofEpochSecond(0, nanoTime());
    }
}
