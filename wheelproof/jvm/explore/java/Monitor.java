package wheelproof.explore;

import java.util.ArrayDeque;
import java.util.Deque;

/** A lock with the threads that wait for a notification. */
final class Monitor {
    final Location location = new Location();
    final Deque<Strand> waiters = new ArrayDeque<>();
    Strand owner;
    int depth;
    /** The number of steps when its owner took it. */
    int since;
}
