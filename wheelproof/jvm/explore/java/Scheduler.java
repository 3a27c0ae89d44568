package wheelproof.explore;

import wheelproof.explore.Result.Ending;

/** Who moves next in a run, and which run comes next. */
abstract class Scheduler {
    private Result why = Result.of(Ending.REDUNDANT, "");

    /** A run begins. */
    void begin(Execution execution) { }

    /** One of the threads that can move, by its bit; below 0 where the run ends here. */
    abstract int pick(Execution execution, int enabled);

    /** Two operations conflict, and only their own order stands between them. */
    void race(Execution execution, int earlier, int later, Strand strand) { }

    /** A run ends with threads in front of operations. */
    void blocked(Execution execution) { }

    /** Whether another run is left. */
    boolean advance() {
        return true;
    }

    /** Why the last run was ended by {@link #pick}. */
    Result why() {
        return why;
    }

    int different(String message) {
        why = Result.of(Ending.DIFFERENT, message);
        return -1;
    }

    /** The thread that ran last, else the first one; a time-out comes where no other can move. */
    static int calm(Execution execution, int enabled) {
        int prompt = prompt(execution, enabled);
        boolean stays = (prompt & 1 << execution.last) != 0;
        return stays ? execution.last : Integer.numberOfTrailingZeros(prompt);
    }

    /** Those that move without a time-out, if there are any. */
    static int prompt(Execution execution, int enabled) {
        int prompt = enabled & execution.prompt;
        return prompt == 0 ? enabled : prompt;
    }
}
