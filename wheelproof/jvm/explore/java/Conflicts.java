package wheelproof.explore;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import wheelproof.explore.Strand.Kind;

/** Which accesses nothing orders: they become visible, and the search begins anew. */
final class Conflicts {
    private final Execution execution;
    /** A place has become visible, or a kind of operation has become an event. */
    boolean changed;
    /** Data races since the last change: two places of the program, by their keys. */
    final Map<String, Site[]> races = new TreeMap<>();

    Conflicts(Execution execution) {
        this.execution = execution;
    }

    /** The first release, interrupt or end of a thread that matters. */
    void change() {
        changed = true;
    }

    /** An operation becomes an event: what is before it, and what it could have come before. */
    void order(Strand strand, int event) {
        Location location = strand.location;
        int index = strand.index;
        boolean isTry = strand.kind == Kind.TRY;
        boolean write = isTry ? strand.monitor.owner == null : strand.write;
        boolean lock = strand.kind == Kind.LOCK || strand.kind == Kind.REACQUIRE;
        int before = lock ? location.acquired : location.written;
        int by = lock ? location.acquirer : location.writer;
        if (!write) {
            orderRead(strand, event, location);
            return;
        }
        boolean reads = false;
        for (int other = 0; location.reads != null && other < execution.count; other++) {
            if (location.reads[other] >= 0) {
                reads = true;
                race(other, location.reads[other], event, strand);
            }
        }
        if (!reads && before >= 0) {
            race(by, before, event, strand);
        }
        if (strand.kind == Kind.ACCESS) {
            againstQuiet(strand, location, strand.site, true);
        }
        Clocks.join(strand.clock, location.published);
        Clocks.join(strand.clock, location.readClock);
        location.write(index, event, strand.clock);
        if (strand.kind != Kind.UNLOCK) {
            location.acquired = event;
            location.acquirer = index;
        }
    }

    void orderRead(Strand strand, int event, Location location) {
        boolean waits = strand.kind == Kind.JOIN && !strand.timed && location == strand.location;
        if (location.written >= 0 && !waits) {
            race(location.writer, location.written, event, strand);
        }
        if (strand.kind == Kind.ACCESS) {
            againstQuiet(strand, location, strand.site, false);
        }
        Clocks.join(strand.clock, location.published);
        location.read(strand.index, event, strand.clock);
    }

    private void race(int by, int earlier, int later, Strand strand) {
        if (by != strand.index) {
            execution.scheduler.race(execution, earlier, later, strand);
        }
    }

    /** An access that is no event, against all others. */
    void quiet(Strand strand, Location location, Site site, boolean write) {
        againstQuiet(strand, location, site, write);
        againstEvent(strand, location.written, site);
        for (int other = 0; write && location.reads != null && other < execution.count; other++) {
            againstEvent(strand, location.reads[other], site);
        }
    }

    private void againstEvent(Strand strand, int event, Site site) {
        Events events = execution.events;
        if (event >= 0 && events.mover(event) != strand.index
                && !events.isBefore(event, strand.clock)) {
            meet(events.site(event), site);
        }
    }

    private void againstQuiet(Strand strand, Location location, Site site, boolean write) {
        int[] clock = strand.clock;
        int writer = location.quietWriter;
        if (writer >= 0 && writer != strand.index && location.quietWrite > clock[writer]) {
            meet(location.quietWriteSite, site);
        }
        int[] reads = location.quietReads;
        for (int other = 0; write && reads != null && other < execution.count; other++) {
            if (other != strand.index && reads[other] > clock[other]) {
                meet(location.quietReadSites[other], site);
            }
        }
    }

    private void meet(Site one, Site other) {
        if (one == null || other == null) {
            return;
        }
        if ((one.plain || other.plain) && !(one.copied && other.copied)) {
            boolean inOrder = one.key.compareTo(other.key) <= 0;
            Site[] pair = inOrder ? new Site[] {one, other} : new Site[] {other, one};
            races.put(pair[0].key + " " + pair[1].key, pair);
        }
        if ((one.whole || other.whole) && execution.unseen == null) {
            Site call = other.whole ? other : one;
            execution.unseen = Columns.place(call) + ": " + call.target
                    + " is not looked into, and nothing orders it and another access";
        }
        show(one);
        show(other);
    }

    private void show(Site site) {
        if (!site.visible) {
            site.visible = true;
            changed = true;
        }
    }

    List<Site> visible() {
        List<Site> all = new ArrayList<>();
        for (Site site : Site.all()) {
            if (site.visible) {
                all.add(site);
            }
        }
        return all;
    }
}
