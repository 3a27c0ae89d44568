package wheelproof.explore;

import java.util.Arrays;

/** The events of a run: who moved, where, and its clock. */
final class Events {
    private int[] movers = new int[256];
    private int[] counts = new int[256];
    private int[][] clocks = new int[256][];
    private Site[] sites = new Site[256];
    private int count;

    void clear() {
        count = 0;
    }

    int size() {
        return count;
    }

    /** The number of the event that comes next. */
    int begin(Strand strand) {
        if (count == movers.length) {
            movers = Arrays.copyOf(movers, 2 * count);
            counts = Arrays.copyOf(counts, 2 * count);
            clocks = Arrays.copyOf(clocks, 2 * count);
            sites = Arrays.copyOf(sites, 2 * count);
        }
        movers[count] = strand.index;
        sites[count] = strand.site;
        return count++;
    }

    void end(int event, Strand strand) {
        clocks[event] = strand.clock.clone();
        counts[event] = strand.clock[strand.index];
    }

    int mover(int event) {
        return movers[event];
    }

    Site site(int event) {
        return sites[event];
    }

    /** The event's own entry of its clock. */
    int own(int event) {
        return counts[event];
    }

    /** Whether an event is ordered before what has the clock. */
    boolean isBefore(int event, int[] clock) {
        return counts[event] <= clock[movers[event]];
    }

    boolean isBefore(int event, int later) {
        return isBefore(event, clocks[later]);
    }

    int[] schedule() {
        return Arrays.copyOf(movers, count);
    }
}
