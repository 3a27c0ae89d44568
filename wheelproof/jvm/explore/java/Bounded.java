package wheelproof.explore;

/** Every order of the visible operations with at most so many preemptions. */
class Bounded extends Systematic {
    private final int bound;
    /** Whether an order was left out. */
    boolean refused;

    Bounded(int bound) {
        this.bound = bound;
    }

    @Override
    int first(Node node) {
        int last = 1 << node.last;
        if ((node.prompt & last) != 0 && node.preemptions >= bound) {
            refused |= node.enabled != last;
            node.chosen = node.last;
            return last;
        }
        return node.enabled;
    }
}
