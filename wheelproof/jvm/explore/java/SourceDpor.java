package wheelproof.explore;

import java.util.ArrayList;
import java.util.List;
import wheelproof.explore.Strand.Kind;

/** Source-set DPOR with sleep sets: one run of each class of equivalent ones, at least. */
class SourceDpor extends Systematic {
    private final List<Integer> between = new ArrayList<>();
    private int sleeping;

    @Override
    int first(Node node) {
        return 1 << node.chosen;
    }

    @Override
    int sleeping() {
        return sleeping;
    }

    /** Behind this step those sleep on whose operations are independent of it. */
    @Override
    void chosen(Execution execution, Node node) {
        int asleep = (node.asleep | node.done) & ~(1 << node.chosen);
        sleeping = 0;
        for (int index = 0; index < execution.count; index++) {
            if ((asleep & 1 << index) != 0
                    && independent(execution.strands[index], execution.strands[node.chosen])) {
                sleeping |= 1 << index;
            }
        }
    }

    private static boolean independent(Strand one, Strand other) {
        if (one.kind == Kind.SLEEP || other.kind == Kind.SLEEP) {
            return false;
        }
        return apart(one.location, one.write, other.location, other.write)
                && apart(one.also, false, other.location, other.write)
                && apart(one.location, one.write, other.also, false);
    }

    private static boolean apart(Location one, boolean writes, Location other, boolean changes) {
        return one == null || one != other || !writes && !changes;
    }

    /** The later operation can come first: a thread that begins such a run is to be tried. */
    @Override
    void race(Execution execution, int earlier, int later, Strand strand) {
        Events events = execution.events;
        if (events.isBefore(earlier, strand.clock)) {
            return;
        }
        between.clear();
        for (int event = earlier + 1; event < later; event++) {
            if (!events.isBefore(earlier, event)) {
                between.add(event);
            }
        }
        int initials = 0;
        int seen = 0;
        for (int at = 0; at < between.size(); at++) {
            int event = between.get(at);
            int mover = events.mover(event);
            if ((seen & 1 << mover) == 0) {
                seen |= 1 << mover;
                initials |= isInitial(events, at, event, mover) ? 1 << mover : 0;
            }
        }
        if ((seen & 1 << strand.index) == 0 && isInitial(events, strand)) {
            initials |= 1 << strand.index;
        }
        Node node = nodes.get(earlier);
        int can = initials & node.enabled;
        if ((node.open & initials) == 0 && can != 0) {
            boolean itself = (can & 1 << strand.index) != 0;
            node.open |= itself ? 1 << strand.index : Integer.lowestOneBit(can);
        }
    }

    private boolean isInitial(Events events, int at, int event, int mover) {
        for (int index = 0; index < at; index++) {
            int other = between.get(index);
            if (events.mover(other) != mover && events.isBefore(other, event)) {
                return false;
            }
        }
        return true;
    }

    private boolean isInitial(Events events, Strand strand) {
        for (int event : between) {
            if (events.isBefore(event, strand.clock) || meets(strand.location, strand.write, event)
                    || meets(strand.also, false, event)) {
                return false;
            }
        }
        return true;
    }

    private static boolean meets(Location location, boolean write, int event) {
        if (location == null) {
            return false;
        }
        boolean read = false;
        for (int other = 0; write && location.reads != null && other < Strand.MOST; other++) {
            read |= location.reads[other] == event;
        }
        return location.written == event || read;
    }

    /** Operations that never came could have come before others. */
    @Override
    void blocked(Execution execution) {
        for (int index = 0; index < execution.count; index++) {
            Strand strand = execution.strands[index];
            Location location = strand.ended ? null : strand.location;
            if (location != null && location.written >= 0 && location.writer != index) {
                race(execution, location.written, execution.events.size(), strand);
            }
        }
    }
}
