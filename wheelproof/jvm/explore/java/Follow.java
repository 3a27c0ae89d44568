package wheelproof.explore;

import java.util.List;

/** The order of a run that was recorded, by its switches: for a process of its own. */
final class Follow extends Scheduler {
    private final List<Recorder.Switch> switches;
    private int next;

    Follow(List<Recorder.Switch> switches) {
        this.switches = switches;
    }

    @Override
    int pick(Execution execution, int enabled) {
        Strand last = execution.strands[execution.last];
        boolean can = (enabled & 1 << last.index) != 0;
        if (next < switches.size() && isAt(switches.get(next), last, can, execution)) {
            String following = switches.get(next++).following();
            for (int index = 0; index < execution.count; index++) {
                Strand strand = execution.strands[index];
                if (strand.label.equals(following) && (enabled & 1 << index) != 0) {
                    return index;
                }
            }
            return different(following + " cannot go on");
        }
        return can ? last.index : different(last.label + " cannot go on");
    }

    private static boolean isAt(Recorder.Switch change, Strand last, boolean can,
            Execution execution) {
        if (!change.thread().equals(last.label)) {
            return false;
        }
        if (change.place().isEmpty()) {
            return !can || last.ended || execution.events.size() == 0;
        }
        return !last.ended && change.place().equals(last.site.key)
                && execution.recorder.visits(last) == change.visit();
    }
}
