package wheelproof.jvm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Data races on plain fields: two accesses of one field of one object by two threads, one of them a
 * write, that nothing orders. There is a vector clock per thread, and one per {@link Order.Key}. In
 * each state it is also looked whether two threads stand in front of such accesses: where each
 * access is a step, no race of the explored scenario is missed.
 */
final class Races {
    /** The last write, and each thread's last read since. */
    private static final class Place {
        final int[] readAt;
        final Site[] reads;
        int writer = -1;
        int writtenAt;
        Site write;

        Place(int threads) {
            readAt = new int[threads];
            reads = new Site[threads];
        }
    }

    /** Each race as (field, site, site), the two sites in the order of their names. */
    private final Set<List<String>> found = new java.util.HashSet<>();
    private final Set<String> plain = new TreeSet<>();
    private final Set<String> ordered = new TreeSet<>();
    private final Map<Order.Key, int[]> released = new HashMap<>();
    private final Map<Order.Key, Place> places = new HashMap<>();
    private int[][] clocks = new int[0][];

    /** A new run: no earlier one orders anything. */
    void begin(int threads) {
        released.clear();
        places.clear();
        clocks = new int[threads][threads];
        for (int thread = 0; thread < threads; thread++) {
            clocks[thread][thread] = 1;
        }
    }

    void acquire(Worker worker, Order.Key key) {
        int[] known = released.get(key);
        if (known != null) {
            int[] mine = clocks[worker.index];
            for (int thread = 0; thread < mine.length; thread++) {
                mine[thread] = Math.max(mine[thread], known[thread]);
            }
        }
    }

    void release(Worker worker, Order.Key key) {
        int[] mine = clocks[worker.index];
        int[] known = released.computeIfAbsent(key, each -> new int[mine.length]);
        for (int thread = 0; thread < mine.length; thread++) {
            known[thread] = Math.max(mine[thread], known[thread]);
        }
        mine[worker.index]++;
    }

    /** An access of a field. A constructor's store is one: the object may be passed on by then. */
    void access(Worker worker, Site site, Object target) {
        if (site.field.isVolatile()) {
            ordered.add(site.field.name());
            return;
        }
        plain.add(site.field.name());
        int me = worker.index;
        int[] clock = clocks[me];
        Place place = places.computeIfAbsent(new Order.Key(target, site.field),
                key -> new Place(clocks.length));
        if (place.writer >= 0 && place.writer != me && place.writtenAt > clock[place.writer]) {
            report(place.write, site);
        }
        if (site.kind == Site.Kind.READ) {
            place.readAt[me] = clock[me];
            place.reads[me] = site;
            return;
        }
        for (int thread = 0; thread < clocks.length; thread++) {
            if (thread != me && place.readAt[thread] > clock[thread]) {
                report(place.reads[thread], site);
            }
        }
        Arrays.fill(place.readAt, 0);
        place.writer = me;
        place.writtenAt = clock[me];
        place.write = site;
    }

    /** Two threads that stand in front of accesses of which either may come first. */
    void beside(Worker[] workers) {
        for (int index = 1; index < workers.length; index++) {
            Site mine = workers[index].at;
            boolean plainAccess = mine != null && mine.field != null && !mine.field.isVolatile();
            for (int other = 0; plainAccess && other < index; other++) {
                Site theirs = workers[other].at;
                if (theirs != null && theirs.field == mine.field
                        && workers[other].target == workers[index].target
                        && (theirs.kind != Site.Kind.READ || mine.kind != Site.Kind.READ)) {
                    report(theirs, mine);
                }
            }
        }
    }

    private void report(Site one, Site other) {
        List<String> sites = new ArrayList<>(List.of(one.key, other.key));
        sites.sort(null);
        found.add(List.of(one.field.name(), sites.get(0), sites.get(1)));
    }

    /** What was found, and the fields that were accessed. */
    Map<String, Object> answer() {
        List<List<String>> races = new ArrayList<>(found);
        races.sort(java.util.Comparator.comparing(List::toString));
        return Map.of("races", races, "plain", plain, "volatile", ordered);
    }
}
