package wheelproof.explore;

import java.util.ArrayList;
import java.util.List;

/** A search in depth: the choices of a run are kept, and the last open one is changed. */
abstract class Systematic extends Scheduler {
    /** Choices of the same thread after which another one that can move goes first. */
    private static final int STREAK = 300;

    /** A choice of a run. Sets of threads are bits. */
    static final class Node {
        final int enabled;
        final int prompt;
        final int last;
        final int preemptions;
        /** To be tried, tried, and not to be tried. */
        int open;
        int done;
        int asleep;
        int chosen;

        Node(int enabled, Execution execution) {
            this.enabled = enabled;
            this.prompt = execution.prompt;
            this.last = execution.last;
            this.preemptions = execution.preemptions;
        }
    }

    final List<Node> nodes = new ArrayList<>();
    private int fixed;
    private int streak;

    @Override
    void begin(Execution execution) {
        streak = 0;
    }

    @Override
    int pick(Execution execution, int enabled) {
        int depth = execution.events.size();
        Node node;
        if (depth < fixed) {
            node = nodes.get(depth);
            if (node.enabled != enabled) {
                return different("after the same " + depth + " operations, other threads can move");
            }
        } else {
            node = new Node(enabled, execution);
            node.asleep = depth > 0 ? sleeping() : 0;
            nodes.add(node);
            if (isKnown(execution, enabled)) {
                return -1;
            }
            int awake = enabled & ~node.asleep;
            if (awake == 0) {
                return -1;
            }
            node.chosen = fair(execution, awake);
            node.open = first(node);
        }
        node.done |= 1 << node.chosen;
        chosen(execution, node);
        return node.chosen;
    }

    private int fair(Execution execution, int awake) {
        int calm = calm(execution, awake);
        streak = calm == execution.last ? streak + 1 : 0;
        int others = awake & ~(1 << calm);
        if (streak > STREAK && others != 0) {
            streak = 0;
            return Integer.numberOfTrailingZeros(others);
        }
        return calm;
    }

    /** The threads that are to be tried at a new choice. */
    abstract int first(Node node);

    /** Whether another run came to the same state. */
    boolean isKnown(Execution execution, int enabled) {
        return false;
    }

    /** The threads that sleep at the choice behind the last one. */
    int sleeping() {
        return 0;
    }

    void chosen(Execution execution, Node node) { }

    @Override
    boolean advance() {
        while (!nodes.isEmpty()) {
            Node node = nodes.get(nodes.size() - 1);
            int open = node.open & ~node.done & ~node.asleep;
            if (open != 0) {
                node.chosen = Integer.numberOfTrailingZeros(open);
                fixed = nodes.size();
                return true;
            }
            nodes.remove(nodes.size() - 1);
        }
        return false;
    }
}
