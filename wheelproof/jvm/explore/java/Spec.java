package wheelproof.explore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import wheelproof.explore.Result.Ending;

/**
 * A class as its own specification: runs in which threads switch between operations alone, or
 * where one waits. What other runs return must be what one of these returns, in an order that has
 * no call before another one that had returned when it began.
 *
 * M. Herlihy, J. Wing: Linearizability: A Correctness Condition for Concurrent Objects, ACM TOPLAS
 * 12(3), 1990. An operation that waits for ever is excused if it also waits alone, behind those
 * that have returned.
 */
final class Spec {
    /** Runs of whole operations, at most. */
    private static final int MOST = 5_000;
    /** Orders that are shown, at most. */
    private static final int SHOWN = 6;

    /** What a run of whole operations returns. */
    private record Whole(List<Integer> order, List<String> results, int pending, String observed) {
        boolean fits(History history) {
            if (pending != history.pending() || !observed.equals(history.observed)
                    || order.size() != history.order.size()) {
                return false;
            }
            int done = 0;
            for (int call : order) {
                if (!results.get(call).equals(history.results[call])
                        || (history.before[call] & ~done & history.returned) != 0) {
                    return false;
                }
                done |= 1 << call;
            }
            return true;
        }
    }

    private final History history;
    /** Null until all of them could be made. */
    private Set<Whole> all;
    private final Map<List<Object>, Result> verdicts = new HashMap<>();
    private final Map<Result, List<String>> reasons = new IdentityHashMap<>();

    Spec(History history) {
        this.history = history;
    }

    /** Makes the runs of whole operations; whether all of them could be made. */
    boolean prepare() {
        Execution execution = Execution.CURRENT;
        Set<Whole> some = new LinkedHashSet<>();
        Systematic scheduler = new WholeCalls(history);
        boolean left = true;
        for (int runs = 0; left; runs++) {
            Result result = execution.run(history, scheduler, null);
            boolean ends = result.ending() == Ending.DONE || result.isFailure();
            if (runs == MOST || !ends && result.ending() != Ending.REDUNDANT) {
                return false;
            }
            if (execution.conflicts.changed) {
                execution.conflicts.changed = false;
                scheduler = new WholeCalls(history);
                continue;
            }
            if (ends) {
                some.add(whole());
            }
            left = scheduler.advance();
        }
        all = some;
        return true;
    }

    private Whole whole() {
        List<String> results = new ArrayList<>();
        for (int call = 0; call < history.results.length; call++) {
            results.add((history.returned & 1 << call) == 0 ? "" : history.results[call]);
        }
        return new Whole(List.copyOf(history.order), results, history.pending(), history.observed);
    }

    Result judge(Result result) {
        if (result.ending() != Ending.DONE && !result.isFailure() || result.raised() != null) {
            return result;
        }
        if (all == null) {
            return Result.of(Ending.CUT, "too many orders of whole operations");
        }
        List<Object> key = List.of(whole(), Arrays.stream(history.before).boxed().toList());
        Result verdict = verdicts.get(key);
        if (verdict == null) {
            List<Whole> explained = all.stream().filter(whole -> whole.fits(history)).toList();
            verdict = explained.isEmpty() ? refused() : excused(result, explained);
            verdicts.put(key, verdict);
        }
        return verdict;
    }

    private Result refused() {
        List<String> lines = reported();
        lines.add("");
        lines.add("no order of the operations explains these results:");
        Set<String> ends = new LinkedHashSet<>();
        all.forEach(whole -> ends.add(deadEnd(whole)));
        ends.stream().limit(SHOWN).forEach(end -> lines.add("  " + end));
        if (ends.size() > SHOWN) {
            lines.add("  ... " + (ends.size() - SHOWN) + " others go no further");
        }
        Result verdict = Result.failed(Result.RESULTS,
                "not linearizable: " + String.join(", ", reported()), "");
        reasons.put(verdict, lines);
        return verdict;
    }

    /** A run that does not end: each operation that waits would wait alone, too. */
    private Result excused(Result result, List<Whole> explained) {
        List<String> lines = reported();
        int pending = history.pending();
        for (int call = 0; call < history.results.length; call++) {
            int one = call;
            if ((pending & 1 << call) != 0
                    && explained.stream().noneMatch(whole -> waits(whole.order, one))) {
                lines.add("");
                lines.add(history.named(call)
                        + " would not wait alone, after the operations that have returned");
                String kind = result.isFailure() ? result.kind() : Result.LOST_WAKE_UP;
                Result verdict = Result.failed(kind, kind + ": " + history.named(call)
                        + " waits for ever", "");
                reasons.put(verdict, lines);
                return verdict;
            }
        }
        return pending == 0 ? result : Result.of(Ending.DONE, "");
    }

    /** Whether a call does not return behind others, all in one thread. */
    private boolean waits(List<Integer> others, int call) {
        Execution execution = Execution.CURRENT;
        history.alone = new int[others.size() + 1];
        for (int at = 0; at < others.size(); at++) {
            history.alone[at] = others.get(at);
        }
        history.alone[others.size()] = call;
        execution.run(history, new Calm(), null);
        execution.runs--;
        history.alone = null;
        return (history.returned & 1 << call) == 0;
    }

    // in words

    private List<String> reported() {
        List<String> parts = new ArrayList<>();
        for (int call = 0; call < history.results.length; call++) {
            if ((history.begun & 1 << call) != 0) {
                parts.add(history.named(call) + reported(call));
            }
        }
        if (!history.observed.isEmpty()) {
            parts.add("observe(): " + history.observed);
        }
        return parts;
    }

    private String reported(int call) {
        boolean ended = (history.returned & 1 << call) != 0;
        String result = ended ? history.results[call] : "waits for ever";
        return result.isEmpty() ? "" : ": " + result;
    }

    /** How far an order goes, and what would follow there. */
    private String deadEnd(Whole whole) {
        List<String> before = new ArrayList<>();
        for (int call : whole.order) {
            String named = history.named(call);
            boolean ended = (history.returned & 1 << call) != 0;
            if (!ended || !whole.results.get(call).equals(history.results[call])) {
                return after(before) + named + " would give " + word(whole.results.get(call))
                        + ", not " + word(ended ? history.results[call] : "a wait for ever");
            }
            before.add(named);
        }
        if (whole.pending != 0) {
            int waiting = Integer.numberOfTrailingZeros(whole.pending);
            return after(before) + history.named(waiting) + " would wait for ever";
        }
        if (!whole.observed.equals(history.observed)) {
            return after(before) + "observe() would give " + whole.observed + ", not "
                    + history.observed;
        }
        return after(before) + "it is not their order in time";
    }

    private static String word(String result) {
        return result.isEmpty() ? "nothing" : result;
    }

    private static String after(List<String> calls) {
        return calls.isEmpty() ? "at first: " : "after " + String.join(", ", calls) + ": ";
    }

    /** Lines about a failing run. */
    List<String> why(Result verdict) {
        return reasons.getOrDefault(verdict, List.of());
    }
}
