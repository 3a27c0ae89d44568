package wheelproof.explore;

/** The order of an earlier run of the same process. */
final class Exact extends Scheduler {
    private final int[] schedule;

    Exact(int[] schedule) {
        this.schedule = schedule;
    }

    @Override
    int pick(Execution execution, int enabled) {
        int depth = execution.events.size();
        int chosen = depth < schedule.length ? schedule[depth] : calm(execution, enabled);
        return (enabled & 1 << chosen) != 0 ? chosen
                : different("after the same " + depth + " operations, other threads can move");
    }
}
