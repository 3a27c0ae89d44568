package wheelproof.explore;

import java.util.HashMap;
import java.util.Map;

/**
 * As Bounded, and a run ends where another one came to the same state.
 *
 * A state is known by the partial order of the operations before it: M. Musuvathi, S. Qadeer:
 * Partial-Order Reduction for Context-Bounded State Exploration, MSR-TR-2007-12. Departure: virtual
 * time is part of the state.
 */
final class BoundedStates extends Bounded {
    private final Map<Long, Integer> fewest = new HashMap<>();
    private final long[] histories = new long[Strand.MOST];
    private int seen;

    BoundedStates(int bound) {
        super(bound);
    }

    @Override
    void begin(Execution execution) {
        super.begin(execution);
        seen = 0;
    }

    @Override
    int pick(Execution execution, int enabled) {
        for (; seen < execution.count; seen++) {
            Strand parent = execution.strands[seen].parent;
            histories[seen] = mix(seen, parent == null ? 0 : histories[parent.index]);
        }
        return super.pick(execution, enabled);
    }

    /** All runs from an equal state have been made, or will be. */
    @Override
    boolean isKnown(Execution execution, int enabled) {
        boolean goesOn = (execution.prompt & 1 << execution.last) != 0;
        long state = mix(goesOn ? execution.last : -1, enabled);
        state = mix(state, execution.nanos);
        for (int index = 0; index < execution.count; index++) {
            state = mix(state, histories[index]);
        }
        Integer before = fewest.get(state);
        if (before != null && before <= execution.preemptions) {
            return true;
        }
        fewest.put(state, execution.preemptions);
        return false;
    }

    /** The operation, with those that it depends on, in their order. */
    @Override
    void chosen(Execution execution, Node node) {
        Strand strand = execution.strands[node.chosen];
        boolean write = strand.kind == Strand.Kind.TRY
                ? strand.monitor.owner == null : strand.write;
        long event = mix(node.chosen, strand.kind.ordinal());
        event = mix(event, execution.nanos);
        event = mix(event, histories[node.chosen]);
        if (strand.kind == Strand.Kind.JOIN && strand.target.ended) {
            event = mix(event, histories[strand.target.index]);
        }
        if (strand.also != null) {
            event = mix(event, strand.also.history);
        }
        Location location = strand.location;
        if (location != null) {
            event = mix(event, location.history);
            event = mix(event, write ? location.readHistory : 0);
            location.history = write ? event : location.history;
            location.readHistory = write ? 0 : location.readHistory ^ mix(event, 1);
        }
        if (strand.also != null) {
            strand.also.readHistory ^= mix(event, 1);
        }
        histories[node.chosen] = event;
    }

    private static long mix(long one, long other) {
        long word = (one ^ Long.rotateLeft(other, 32)) * 0x9E3779B97F4A7C15L + other;
        word = (word ^ word >>> 30) * 0xBF58476D1CE4E5B9L;
        word = (word ^ word >>> 27) * 0x94D049BB133111EBL;
        return word ^ word >>> 31;
    }
}
