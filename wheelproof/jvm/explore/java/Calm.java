package wheelproof.explore;

/** No preemption at all: the order of the run in which classes are loaded. */
final class Calm extends Scheduler {
    @Override
    int pick(Execution execution, int enabled) {
        return calm(execution, enabled);
    }
}
