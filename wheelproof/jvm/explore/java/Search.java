package wheelproof.explore;

import java.util.List;
import java.util.Random;
import wheelproof.explore.Result.Ending;

/** A search of a program's orders: until all are run, one fails, or a limit is reached. */
final class Search {
    /** Random runs at the begin, and between runs of the search. */
    private static final int WARM_UP = 30;
    private static final int BETWEEN = 500;
    private static final int EVERY = 500;
    /**
     * After so many runs without a bound, each third one goes by the preemptions: a search in depth
     * comes late to the first races of a large program.
     */
    private static final int ALONE = 2_000;
    private static final int BESIDE = 3;
    /** Runs of a search for fewer preemptions. */
    private static final int SHORTENING = 20_000;
    private static final int REPEATED = 2;

    /**
     * How often a thread sleeps or yields at a place before another one has to move first. Once all
     * is run with few, it is run with many, so that a loop with few rounds comes to its end.
     */
    private static final int FEW = 1;
    private static final int MANY = 8;
    /** Of a recorded order: how many it was, behind this word. */
    static final String PASS = "pass ";

    final Execution execution = Execution.CURRENT;
    final Program program;
    private final Integer bound;
    private final long limit;
    private final Scheduler[] samplers;
    /** The answer, in the words of wheelproof explore, and the reason. */
    String answer = "";
    String reason = "";
    /** How often threads slept or yielded at a place before they let others move; 0 if none did. */
    int rests;
    int restarts;
    /** Of a failure: its order, how it ends, and its steps. */
    private int[] failing;
    Result failure;
    Recorder recorder;
    int preemptions;
    boolean minimal;
    private int[] whole;
    private String cut;

    Search(Program program, Integer bound, long most, long seed) {
        this.program = program;
        this.bound = bound;
        limit = execution.runs + most;
        Random random = new Random(seed);
        samplers = new Scheduler[] {new Uniform(random), new Pct(random)};
    }

    void search() {
        search(FEW);
        boolean isWhole = answer.equals("exhausted") || answer.equals("bounded");
        if (isWhole && execution.fair && execution.runs < limit) {
            String word = answer;
            String why = reason;
            int few = rests;
            answer = "";
            search(MANY);
            if (answer.equals("budget")) {
                answer = word;
                reason = why;
                rests = few;
            }
        }
    }

    private void search(int passes) {
        execution.passes = passes;
        execution.fair = false;
        whole = null;
        cut = null;
        Result calm = run(new Calm());
        if (isOver(calm)) {
            return;
        }
        restarts();
        sample(WARM_UP);
        systematic();
        if (failing != null) {
            shorten();
        }
    }

    /** One run; what it says about the program is kept, but where new places became visible. */
    private Result run(Scheduler scheduler) {
        Result end = execution.run(program, scheduler, null);
        int[] schedule = execution.events.schedule();
        int few = execution.preemptions;
        Result result = program.judge(end);
        switch (result.ending()) {
            case REFUSED -> end("refused", result.message());
            case BROKEN -> end("broken", result.message());
            case DIFFERENT -> end("nondeterministic", result.message());
            case CUT -> cut = result.message();
            case DONE -> whole = whole == null ? schedule : whole;
            case FAILED -> {
                if (!execution.conflicts.changed) {
                    failing = schedule;
                    failure = result;
                    preemptions = few;
                }
            }
            default -> { }
        }
        return result;
    }

    private void end(String word, String why) {
        if (answer.isEmpty()) {
            answer = word;
            reason = why;
        }
    }

    private boolean isOver(Result result) {
        return !answer.isEmpty() || result.ending() == Ending.BROKEN;
    }

    private boolean isOver() {
        return !answer.isEmpty() || failing != null || execution.runs >= limit;
    }

    /** Whether places became visible: what was seen without them counts no longer. */
    private boolean restarts() {
        if (!execution.conflicts.changed) {
            return false;
        }
        execution.conflicts.changed = false;
        execution.conflicts.races.clear();
        whole = null;
        cut = null;
        failing = null;
        restarts++;
        return true;
    }

    private boolean sample(int runs) {
        boolean restarted = false;
        for (int index = 0; index < runs && !isOver(); index++) {
            run(samplers[index % samplers.length]);
            restarted |= restarts();
        }
        return restarted;
    }

    private void systematic() {
        Deepening deepening = new Deepening(bound);
        Scheduler reduced = bound == null ? new SourceDpor() : deepening;
        long since = 0;
        boolean left = true;
        while (left && !isOver()) {
            boolean beside = ++since > ALONE && since % BESIDE == 0;
            Scheduler scheduler = beside ? deepening : reduced;
            deepening.cut |= run(scheduler).ending() == Ending.CUT;
            boolean again = restarts() || since % EVERY == 0 && sample(BETWEEN);
            if (again) {
                deepening = new Deepening(bound);
                reduced = bound == null ? new SourceDpor() : deepening;
                since = 0;
            } else {
                left = scheduler.advance();
            }
        }
        if (answer.isEmpty() && failing == null) {
            conclude(left, deepening);
        }
    }

    private void conclude(boolean left, Deepening deepening) {
        String few = "every order with at most %d preemptions";
        rests = execution.fair ? execution.passes : 0;
        if (left) {
            end("budget", "the search was ended after " + execution.runs + " runs"
                    + (deepening.complete < 0 ? "" : "; "
                    + String.format(few, deepening.complete) + " was run"));
        } else if (!repeats()) {
            end("nondeterministic", "the same order ran differently");
        } else if (cut != null) {
            end("budget", "some runs were ended: after " + cut);
        } else if (execution.unseen != null) {
            end("unseen", execution.unseen);
        } else if (!execution.shared) {
            end("vacuous", "no object is used by two threads");
        } else if (bound != null && deepening.refuses()) {
            end("bounded", String.format(few, bound) + but(rests));
        } else {
            end("exhausted", "every order of the racy accesses and of the locks"
                    + but(rests));
        }
    }

    /** The orders that are left out for fairness; empty for none. */
    static String but(int rests) {
        return rests == 0 ? "" : ", but for those in which a thread sleeps or yields where it has "
                + (rests == 1 ? "once" : rests + " times")
                + " before, or looks where it has " + Execution.LOOKS * rests
                + " times before, while another one can move";
    }

    /** Whether a run goes the same way each time. */
    private boolean repeats() {
        for (int number = 0; whole != null && number < REPEATED; number++) {
            execution.run(program, new Exact(whole), null);
            execution.runs--;
            if (!java.util.Arrays.equals(whole, execution.events.schedule())) {
                return false;
            }
        }
        return true;
    }

    /** Looks for the failure with fewer preemptions. */
    private void shorten() {
        record();
        minimal = true;
        long last = execution.runs + SHORTENING;
        for (int few = 0; few < preemptions && answer.isEmpty(); few++) {
            Systematic scheduler = new BoundedStates(few);
            boolean left = true;
            failing = null;
            while (left && failing == null && answer.isEmpty() && execution.runs < last) {
                run(scheduler);
                if (restarts()) {
                    scheduler = new BoundedStates(few);
                } else {
                    left = scheduler.advance();
                }
            }
            if (failing != null) {
                record();
            } else {
                minimal &= !left;
            }
        }
        end("bug", failure.message());
    }

    /** Runs the failing order again, for its steps. */
    private void record() {
        String message = failure.message();
        String kind = failure.kind();
        recorder = new Recorder(execution, program);
        Result end = execution.run(program, new Exact(failing), recorder);
        preemptions = execution.preemptions;
        execution.runs--;
        failure = program.judge(end);
        if (!failure.isFailure() || !failure.kind().equals(kind)) {
            end("nondeterministic", "a failing order ran differently: " + message);
        }
    }

    /** Runs one order, as it was recorded. */
    void replay(List<Recorder.Switch> switches) {
        run(new Calm());
        recorder = new Recorder(execution, program);
        Result end = execution.run(program, new Follow(switches), recorder);
        preemptions = execution.preemptions;
        failure = program.judge(end);
        switch (failure.ending()) {
            case REFUSED -> end("refused", failure.message());
            case BROKEN -> end("broken", failure.message());
            case FAILED -> end("bug", failure.message());
            default -> end(failure.ending() == Ending.DONE ? "holds" : "impossible",
                    failure.message());
        }
    }
}
