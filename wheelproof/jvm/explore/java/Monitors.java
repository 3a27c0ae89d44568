package wheelproof.explore;

import wheelproof.explore.Strand.Kind;

/** Monitors, and the locks that stand for those of java.util.concurrent. */
final class Monitors {
    private static final Execution RUN = Execution.CURRENT;

    private Monitors() { }

    static void enter(Strand strand, Object object, Site site) {
        Monitor monitor = Places.of(object).monitor();
        if (monitor.owner == strand) {
            RUN.check(strand);
            monitor.depth++;
            return;
        }
        share(strand, monitor);
        strand.at(Kind.LOCK, monitor.location, true, site, object).monitor = monitor;
        RUN.point(strand);
        take(strand, monitor, object, 1);
    }

    /** Takes the lock, or raises InterruptedException where the thread is interrupted before. */
    static void enterOrRaise(Strand strand, Object object, Site site) throws InterruptedException {
        Monitor monitor = Places.of(object).monitor();
        strand.at(Kind.LOCK, monitor.location, true, site, object).monitor = monitor;
        if (RUN.interrupts) {
            strand.also = strand.permits;
        }
        if (monitor.owner == strand && !strand.interrupted) {
            monitor.depth++;
            return;
        }
        share(strand, monitor);
        RUN.point(strand);
        if (strand.interrupted) {
            strand.interrupted = false;
            throw new InterruptedException();
        }
        take(strand, monitor, object, 1);
    }

    private static void take(Strand strand, Monitor monitor, Object object, int depth) {
        monitor.owner = strand;
        monitor.depth = depth;
        monitor.since = RUN.steps();
        strand.held.add(object);
    }

    private static void share(Strand strand, Monitor monitor) {
        monitor.location.note(strand.index, true);
        RUN.shared |= monitor.location.isShared();
    }

    static boolean tryEnter(Strand strand, Object object, Site site) {
        Monitor monitor = Places.of(object).monitor();
        if (monitor.owner == strand) {
            RUN.check(strand);
            monitor.depth++;
            return true;
        }
        if (!RUN.unlocks) {
            RUN.unlocks = true;
            RUN.conflicts.change();
        }
        share(strand, monitor);
        strand.at(Kind.TRY, monitor.location, true, site, object).monitor = monitor;
        RUN.point(strand);
        if (monitor.owner != null) {
            return false;
        }
        take(strand, monitor, object, 1);
        return true;
    }

    static void exit(Strand strand, Object object, Site site) {
        Monitor monitor = Places.of(object).monitor();
        if (RUN.isOver()) {
            return;
        }
        if (monitor.owner != strand) {
            throw new IllegalMonitorStateException();
        }
        if (monitor.depth > 1) {
            monitor.depth--;
            return;
        }
        if (RUN.unlocks) {
            strand.at(Kind.UNLOCK, monitor.location, true, site, object).monitor = monitor;
            RUN.point(strand);
        }
        monitor.depth = 0;
        release(strand, monitor, object);
        if (RUN.recorder != null && !RUN.unlocks) {
            RUN.recorder.notes(strand, Kind.UNLOCK, object, site);
        }
    }

    private static void release(Strand strand, Monitor monitor, Object object) {
        monitor.owner = null;
        monitor.location.published = strand.clock.clone();
        strand.clock[strand.index]++;
        for (int index = strand.held.size() - 1; index >= 0; index--) {
            if (strand.held.get(index) == object) { // its own equals is the program's code
                strand.held.remove(index);
                break;
            }
        }
    }

    /**
     * Waits in the wait set of one object and gives back the lock of another, or of the same.
     * Returns whether it was notified.
     */
    static boolean await(Strand strand, Object lock, Object set, boolean timed, long nanos,
            Site site) throws InterruptedException {
        RUN.check(strand);
        Monitor monitor = Places.of(lock).monitor();
        Monitor waiting = Places.of(set).monitor();
        if (monitor.owner != strand) {
            throw new IllegalMonitorStateException();
        }
        if (Threads.tookInterrupt(strand)) {
            throw new InterruptedException();
        }
        int depth = monitor.depth;
        monitor.depth = 0;
        strand.notified = false;
        waiting.waiters.add(strand);
        release(strand, monitor, lock);
        strand.at(Kind.REACQUIRE, monitor.location, true, site, lock).monitor = monitor;
        strand.timed = timed;
        if (RUN.interrupts) {
            strand.also = strand.permits;
        }
        RUN.point(strand);
        take(strand, monitor, lock, depth);
        waiting.waiters.remove(strand);
        if (strand.notified) {
            return true;
        }
        if (strand.interrupted) {
            strand.interrupted = false;
            throw new InterruptedException();
        }
        RUN.pass(nanos);
        return false;
    }

    static void signal(Strand strand, Object lock, Object set, boolean all) {
        RUN.check(strand);
        if (Places.of(lock).monitor().owner != strand) {
            throw new IllegalMonitorStateException();
        }
        Monitor waiting = Places.of(set).monitor();
        while (!waiting.waiters.isEmpty()) {
            waiting.waiters.poll().notified = true;
            if (!all) {
                return;
            }
        }
    }
}
