package wheelproof.explore;

import java.util.ArrayList;
import java.util.List;
import wheelproof.explore.Strand.Kind;

/** Threads that cannot move: what each waits for, and whether they wait for each other. */
final class Waiting {
    private Waiting() { }

    /** Whether, behind the main thread's end, those that are left only wait or sleep. */
    static boolean isIdle(Execution execution) {
        for (int index = 0; index < execution.count; index++) {
            Strand strand = execution.strands[index];
            if (!strand.ended && strand.kind != Kind.SLEEP && strand.isEnabled(false, execution)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether all other threads have ended or wait. Who waits for a lock that the thread has taken
     * in its last rounds could have had it before.
     */
    static boolean isAlone(Execution execution, Strand strand) {
        int recent = execution.steps() - execution.mostPoints / 2;
        for (int index = 0; index < execution.count; index++) {
            Strand other = execution.strands[index];
            if (other == strand || other.ended) {
                continue;
            }
            Monitor lock = other.monitor;
            boolean passed = lock != null && lock.owner == strand && lock.since > recent;
            boolean waits = other.kind != Kind.SLEEP && other.kind != Kind.ACCESS
                    && !other.isEnabled(true, execution);
            if (!waits || passed) {
                return false;
            }
        }
        return true;
    }

    /** Behind the main thread's end: a thread that waits for a lock waits for ever. */
    static Result locked(Execution execution) {
        for (int index = 0; index < execution.count; index++) {
            Strand strand = execution.strands[index];
            if (!strand.ended && strand.waitsForLock()) {
                return stuck(execution);
            }
        }
        return null;
    }

    /** The failure of a run in which no thread can move. */
    static Result stuck(Execution execution) {
        List<Integer> cycle = cycle(execution);
        boolean signal = false;
        List<String> names = new ArrayList<>();
        for (int index = 0; index < execution.count; index++) {
            Strand strand = execution.strands[index];
            if (!strand.ended) {
                signal |= !strand.waitsForLock();
                names.add(strand.label);
            }
        }
        String kind = cycle.isEmpty() && signal ? Result.LOST_WAKE_UP : Result.DEADLOCK;
        String wait = names.size() == 1 ? " waits for ever" : " wait for ever";
        return Result.failed(kind, kind + ": " + String.join(", ", names) + wait, "");
    }

    /** Whom a thread waits for; null where it is a signal. */
    static Strand holder(Strand strand) {
        if (strand.kind == Kind.JOIN) {
            return strand.target;
        }
        return strand.waitsForLock() ? strand.monitor.owner : null;
    }

    /** Threads that wait for each other, each for the next one; empty where there are none. */
    static List<Integer> cycle(Execution execution) {
        for (int index = 0; index < execution.count; index++) {
            List<Integer> way = new ArrayList<>();
            Strand at = execution.strands[index];
            while (at != null && !at.ended && !way.contains(at.index)) {
                way.add(at.index);
                at = holder(at);
            }
            if (at != null && !at.ended && at.index == index && way.size() > 1) {
                return way;
            }
        }
        return List.of();
    }
}
