package wheelproof.explore;

/** All orders by their preemptions: those without one, then those with one, and so on. */
final class Deepening extends Scheduler {
    private final Integer most;
    private BoundedStates level = new BoundedStates(0);
    private int bound;
    private boolean over;
    /** Whether a run was not made to its end. */
    boolean cut;
    /** Up to so many preemptions all runs have been made, to their ends; -1 at first. */
    int complete = -1;

    /** {@code most}: the preemptions of an order; null for any number. */
    Deepening(Integer most) {
        this.most = most;
    }

    /** Whether orders with more preemptions are left out. */
    boolean refuses() {
        return level.refused;
    }

    @Override
    void begin(Execution execution) {
        level.begin(execution);
    }

    @Override
    int pick(Execution execution, int enabled) {
        return level.pick(execution, enabled);
    }

    @Override
    Result why() {
        return level.why();
    }

    @Override
    boolean advance() {
        if (level.advance()) {
            return true;
        }
        complete = cut ? complete : bound;
        over = !level.refused || most != null && bound == most;
        if (!over) {
            level = new BoundedStates(++bound);
        }
        return !over;
    }
}
