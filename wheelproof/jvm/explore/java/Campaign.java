package wheelproof.explore;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import wheelproof.explore.Operations.Call;

/** Drawn programs of a class's operations, of which every one is searched: small ones first. */
final class Campaign {
    /** The calls of each thread. */
    private static final int[][] SHAPES = {{1, 1}, {2, 1}, {1, 1, 1}, {2, 2}, {2, 1, 1}};
    /** Programs of one shape, at most. */
    private static final int PROGRAMS = 25;
    private static final int DRAWS = 20;

    private final Class<?> type;
    private final Operations operations;
    private final Integer bound;
    private final long most;
    private final long seed;
    private final Random random;
    /** Answers of programs. */
    private int exhausted;
    private int bounded;
    private int vacuous;
    private int open;
    /** Of the programs, the fewest that is not 0. */
    private int rests;

    Campaign(Class<?> type, Integer bound, long most, long seed) {
        this.type = type;
        this.bound = bound;
        this.most = most;
        this.seed = seed;
        operations = new Operations(type);
        random = new Random(seed);
    }

    /** The search of the first program that fails, else of the last one, with an answer for all. */
    Search search() throws NoSuchMethodException {
        Search search = null;
        for (int[] shape : SHAPES) {
            for (List<List<Call>> program : programs(shape)) {
                History history = new History(type, operations, program);
                Execution.CURRENT.shared = false;
                boolean ready = history.prepare();
                search = new Search(history, bound, ready ? most : 0, seed);
                search.search();
                boolean isFewer = search.rests > 0 && (rests == 0 || search.rests < rests);
                rests = isFewer ? search.rests : rests;
                switch (search.answer) {
                    case "exhausted" -> exhausted++;
                    case "bounded" -> bounded++;
                    case "vacuous" -> vacuous++;
                    case "budget" -> open++;
                    default -> {
                        return search;
                    }
                }
            }
        }
        return concluded(search);
    }

    private Search concluded(Search search) {
        int all = exhausted + bounded + vacuous + open;
        if (open > 0) {
            search.answer = "budget";
            search.reason = "the search of " + open + " of " + all + " programs was ended";
        } else if (bounded > 0) {
            search.answer = "bounded";
            search.reason = "every order with at most " + bound + " preemptions of each of " + all
                    + " programs" + Search.but(rests);
        } else if (exhausted > 0) {
            search.answer = "exhausted";
            search.reason = "every order of each of " + all + " programs" + Search.but(rests);
        }
        return search;
    }

    /** Different programs of a shape: all of them, or some that are drawn. */
    private List<List<List<Call>>> programs(int[] shape) {
        List<List<List<Call>>> programs = new ArrayList<>();
        Set<String> texts = new HashSet<>();
        for (int draws = 0; draws < DRAWS * PROGRAMS && programs.size() < PROGRAMS; draws++) {
            List<List<Call>> program = new ArrayList<>();
            for (int calls : shape) {
                List<Call> thread = new ArrayList<>();
                for (int call = 0; call < calls; call++) {
                    thread.add(operations.calls.get(random.nextInt(operations.calls.size())));
                }
                program.add(thread);
            }
            if (texts.add(text(program))) {
                programs.add(program);
            }
        }
        return programs;
    }

    /** Equal for programs that differ in the order of their threads alone. */
    private static String text(List<List<Call>> program) {
        return program.stream().map(thread -> thread.stream().map(Call::text).toList().toString())
                .sorted().toList().toString();
    }
}
