package wheelproof.jvm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The states that were seen, exactly (by all of their bytes), and the steps between them. */
final class Graph {
    /** A step that the thread cannot take. */
    static final int BLOCKED = -1;
    /** A step that no run took yet. */
    static final int UNTRIED = -2;

    /** What a thread does in a state. */
    enum Standing { MOVES, WAITS, ENDED, FAILED }

    private record Key(byte[] bytes, int hash) {
        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && key.hash == hash && Arrays.equals(bytes, key.bytes);
        }
    }

    private record Numbers(int[] numbers) {
        @Override
        public int hashCode() {
            return Arrays.hashCode(numbers);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Numbers one && Arrays.equals(numbers, one.numbers);
        }
    }

    private final Map<Key, Integer> known = new HashMap<>();
    private final Map<Numbers, Integer> knownShared = new HashMap<>();
    private final Map<String, Integer> knownResults = new HashMap<>();
    final List<int[]> shared = new ArrayList<>();
    final List<String> results = new ArrayList<>();
    /** Per state: the number of its shared variables; per thread label and standing. */
    final List<Integer> sharedOf = new ArrayList<>();
    final List<int[]> standing = new ArrayList<>();
    /** Per state and thread: the state after its step, and the results that the step ends with. */
    final List<int[]> after = new ArrayList<>();
    final List<int[]> resultsOf = new ArrayList<>();
    final List<Integer> parent = new ArrayList<>();
    final List<Integer> mover = new ArrayList<>();

    Graph() {
        resultNumber("[]");
    }

    int size() {
        return after.size();
    }

    int resultNumber(String text) {
        return knownResults.computeIfAbsent(text, key -> {
            results.add(key);
            return results.size() - 1;
        });
    }

    /** The number of a state that may be new. */
    int state(byte[] bytes, int[] variables, int[] threads, int before, int thread) {
        Key key = new Key(bytes, Arrays.hashCode(bytes));
        Integer number = known.get(key);
        if (number != null) {
            return number;
        }
        known.put(key, size());
        sharedOf.add(knownShared.computeIfAbsent(new Numbers(variables), each -> {
            shared.add(variables);
            return shared.size() - 1;
        }));
        standing.add(threads);
        // an exception ends the search in this state
        boolean failed =
            Arrays.stream(threads).anyMatch(each -> each % 4 == Standing.FAILED.ordinal());
        int[] next = new int[threads.length];
        for (int index = 0; index < next.length; index++) {
            boolean moves = threads[index] % 4 == Standing.MOVES.ordinal();
            next[index] = moves && !failed ? UNTRIED : BLOCKED;
        }
        resultsOf.add(new int[threads.length]);
        parent.add(before);
        mover.add(thread);
        after.add(next);
        return size() - 1;
    }

    /** Notes a step; false where it led to another state, or returned something else, before. */
    boolean step(int from, int thread, int to, int result) {
        int[] next = after.get(from);
        if (next[thread] == UNTRIED) {
            next[thread] = to;
            resultsOf.get(from)[thread] = result;
            return true;
        }
        return next[thread] == to && resultsOf.get(from)[thread] == result;
    }

    boolean finished(int state) {
        for (int next : after.get(state)) {
            if (next == UNTRIED) {
                return false;
            }
        }
        return true;
    }

    /** The threads on the way by which a state was first reached. */
    int[] way(int state) {
        int steps = 0;
        for (int at = state; at > 0; at = parent.get(at)) {
            steps++;
        }
        int[] way = new int[steps];
        for (int at = state; at > 0; at = parent.get(at)) {
            way[--steps] = mover.get(at);
        }
        return way;
    }
}
