package wheelproof.explore;

import java.util.Arrays;

/** What can be read or written: who did, and how that is ordered. */
final class Location {
    /** The events of the last write and of the last acquisition of a lock; -1 for none. */
    int written = -1;
    int writer = -1;
    int acquired = -1;
    int acquirer = -1;
    /** The clock that the last write or release publishes. */
    int[] published;
    /** The events of the reads since the last write, by thread, and their clock. */
    int[] reads;
    int[] readClock;
    /** The last write and the reads that were no events, with the clocks of their threads. */
    int quietWriter = -1;
    int quietWrite;
    Site quietWriteSite;
    int[] quietReads;
    Site[] quietReadSites;
    /** What has led to the last write, and to the reads since then. */
    long history;
    long readHistory;
    /** The threads that have come here, and whether one of them has written. */
    int users;
    boolean changed;

    void note(int thread, boolean write) {
        users |= 1 << thread;
        changed |= write;
    }

    boolean isShared() {
        return changed && Integer.bitCount(users) > 1;
    }

    void read(int thread, int event, int[] clock) {
        if (reads == null) {
            reads = new int[Strand.MOST];
            Arrays.fill(reads, -1);
            readClock = new int[Strand.MOST];
        }
        reads[thread] = event;
        Clocks.join(readClock, clock);
    }

    void write(int thread, int event, int[] clock) {
        written = event;
        writer = thread;
        published = clock.clone();
        reads = null;
        readClock = null;
    }

    void remember(Strand strand, Site site, boolean write) {
        int now = strand.clock[strand.index];
        if (write) {
            quietWriter = strand.index;
            quietWrite = now;
            quietWriteSite = site;
            quietReads = null;
            return;
        }
        if (quietReads == null) {
            quietReads = new int[Strand.MOST];
            quietReadSites = new Site[Strand.MOST];
        }
        quietReads[strand.index] = now;
        quietReadSites[strand.index] = site;
    }
}
