package wheelproof.jvm;

import java.util.Arrays;
import java.util.List;

/**
 * The model's shared variables as numbers: of each variable how many follow, then its values. Names
 * of the scenario have numbers; a tuple is its length and its elements.
 */
public final class Shared {
    private final Scenario scenario;
    private int[] numbers = new int[64];
    private int length;
    private int open = -1;

    Shared(Scenario scenario) {
        this.scenario = scenario;
    }

    void begin() {
        length = 0;
        open = -1;
    }

    /** What follows are the values of the next variable. */
    public Shared variable() {
        close();
        open = length;
        put(0);
        return this;
    }

    /** A name of the scenario; null is the model's None. */
    public Shared name(String name) {
        Integer number = name == null ? Integer.valueOf(0) : scenario.names.get(name);
        if (number == null) {
            throw new IllegalArgumentException("the scenario has no name " + name);
        }
        return number(number);
    }

    public Shared number(long number) {
        put(Math.toIntExact(number));
        return this;
    }

    public Shared truth(boolean truth) {
        return number(truth ? 1 : 0);
    }

    /** The length of a tuple or set whose elements follow. */
    public Shared tuple(int size) {
        return number(size);
    }

    public Shared names(List<String> names) {
        tuple(names.size());
        names.forEach(this::name);
        return this;
    }

    /** A set of names. */
    public Shared set(List<String> names) {
        int[] numbers = names.stream().mapToInt(scenario.names::get).sorted().toArray();
        tuple(numbers.length);
        for (int each : numbers) {
            number(each);
        }
        return this;
    }

    /** A thread by its number from 1; 0 for none. */
    public Shared thread(int number) {
        return name(number == 0 ? null : scenario.threads.get(number - 1));
    }

    /** A set of threads, given by a bit for each. */
    public Shared threads(int bits) {
        return set(java.util.stream.IntStream.range(0, scenario.threads.size())
                .filter(index -> (bits >> index & 1) != 0)
                .mapToObj(scenario.threads::get).toList());
    }

    /** A monitor: its owner and how often it was entered. */
    public Shared monitor(int owner, int depth) {
        return tuple(2).thread(owner).number(depth);
    }

    int[] taken() {
        close();
        return Arrays.copyOf(numbers, length);
    }

    private void close() {
        if (open >= 0) {
            numbers[open] = length - open - 1;
        }
    }

    private void put(int number) {
        if (length == numbers.length) {
            numbers = Arrays.copyOf(numbers, 2 * length);
        }
        numbers[length++] = number;
    }
}
