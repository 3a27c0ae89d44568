package wheelproof.explore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import wheelproof.explore.Operations.Call;
import wheelproof.explore.Strand.Kind;

/** A program of operations in threads, and what the calls of its last run have returned. */
final class History extends Program {
    /** In front of the calls of a thread, among the places of a schedule. */
    static final String THREAD = "calls of T";
    static final Site CALL = Site.at(Site.own("call", "an operation"));
    static final Site RETURN = Site.at(Site.own("return", "an operation"));
    private static final int START = Site.own("start", "a thread of operations");
    private static final int JOIN = Site.own("join", "a thread of operations");
    private static final Execution RUN = Execution.CURRENT;

    /** Each thread with the numbers of its calls. */
    final List<List<Integer>> threads = new ArrayList<>();
    final List<Call> calls = new ArrayList<>();
    final Operations operations;
    private final Spec spec = new Spec(this);
    /** The threads; or one thread that makes these calls alone, in their order. */
    int[] alone;
    // of the last run; sets of calls are bits
    final String[] results;
    /** Of each call: those that had returned when it began. */
    final int[] before;
    int begun;
    int returned;
    /** Calls in the order in which they have returned. */
    final List<Integer> order = new ArrayList<>();
    String observed = "";
    /** The threads that are within an operation: another one may not come before its end. */
    final Set<Strand> within = new HashSet<>();
    private Location moments;

    History(Class<?> type, Operations operations, List<List<Call>> program)
            throws NoSuchMethodException {
        super(type);
        this.operations = operations;
        for (List<Call> thread : program) {
            List<Integer> numbers = new ArrayList<>();
            for (Call call : thread) {
                numbers.add(calls.size());
                calls.add(call);
            }
            threads.add(numbers);
        }
        results = new String[calls.size()];
        before = new int[calls.size()];
    }

    @Override
    void body() throws Throwable {
        begun = 0;
        returned = 0;
        order.clear();
        within.clear();
        Arrays.fill(results, null);
        observed = "";
        moments = new Location();
        if (alone != null) {
            for (int number : alone) {
                call(number);
            }
        } else {
            List<Thread> all = new ArrayList<>();
            for (List<Integer> numbers : threads) {
                Thread thread = new Thread(null, () -> numbers.forEach(this::call),
                        "T" + (all.size() + 1));
                all.add(thread);
                Threads.start(thread, START);
            }
            for (Thread thread : all) {
                Threads.join(thread, JOIN);
            }
        }
        observed = operations.observe == null ? "" : result(operations.observe);
    }

    /** What returns before something else is called comes before it, so that both are events. */
    private void moment(boolean ends) {
        Strand strand = Execution.me();
        strand.at(Kind.ACCESS, moments, ends, ends ? RETURN : CALL, null);
        RUN.point(strand);
    }

    private void call(int number) {
        moment(false);
        within.add(Execution.me());
        before[number] = returned;
        begun |= 1 << number;
        results[number] = result(calls.get(number).method(), calls.get(number).arguments());
        moment(true);
        returned |= 1 << number;
        order.add(number);
        within.remove(Execution.me());
    }

    private String result(java.lang.reflect.Method method, Object... arguments) {
        try {
            Object value = invoke(method, arguments);
            return method.getReturnType() == void.class ? "" : text(value);
        } catch (Abort | LinkageError | VirtualMachineError error) {
            throw error;
        } catch (Throwable error) {
            return "raises " + error.getClass().getSimpleName();
        }
    }

    /** Values of the JDK, enums and records by their text, others by their class alone. */
    private static String text(Object value) {
        if (value == null || value.getClass().getClassLoader() == null || value instanceof Enum
                || value instanceof Record) {
            return value instanceof Optional<?> one && one.isPresent()
                    ? "Optional[" + text(one.get()) + "]" : String.valueOf(value);
        }
        return "a " + value.getClass().getSimpleName();
    }

    int pending() {
        return begun & ~returned;
    }

    @Override
    Result judge(Result result) {
        return spec.judge(result);
    }

    /** Runs what the calls do in each order of them, with which every other run is compared. */
    boolean prepare() {
        return spec.prepare();
    }

    List<String> why(Result verdict) {
        return spec.why(verdict);
    }

    /** The program, as {@link #of} reads it. */
    List<String> program() {
        List<String> lines = new ArrayList<>();
        for (List<Integer> thread : threads) {
            List<String> texts = thread.stream().map(call -> calls.get(call).text()).toList();
            lines.add(THREAD + (lines.size() + 1) + ": " + String.join("; ", texts));
        }
        return lines;
    }

    /** The program of these lines. */
    static History of(Class<?> type, List<String> lines) throws NoSuchMethodException {
        Operations operations = new Operations(type);
        List<List<Call>> program = new ArrayList<>();
        for (String line : lines) {
            program.add(List.of(line.substring(line.indexOf(": ") + 2).split("; ")).stream()
                    .map(operations::named).toList());
        }
        return new History(type, operations, program);
    }

    /** The thread of a call, as people read it, with the call. */
    String named(int call) {
        for (int thread = 0; thread < threads.size(); thread++) {
            if (threads.get(thread).contains(call)) {
                return "T" + (thread + 1) + " " + calls.get(call).text();
            }
        }
        throw new IllegalArgumentException("no call " + call);
    }
}
