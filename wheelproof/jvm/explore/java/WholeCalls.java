package wheelproof.explore;

/** Every order in which threads switch between operations alone, or where one waits. */
final class WholeCalls extends Systematic {
    private final History history;

    WholeCalls(History history) {
        this.history = history;
    }

    @Override
    int first(Node node) {
        int last = 1 << node.last;
        boolean stays = (node.prompt & last) != 0
                && history.within.contains(Execution.CURRENT.strands[node.last]);
        node.chosen = stays ? node.last : node.chosen;
        return stays ? last : node.enabled;
    }
}
