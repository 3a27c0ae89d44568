package wheelproof.agent;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What the agent knows of one object of Kafka's. The object has it in a field that the agent adds.
 *
 * <p>An id is given once and never used again. The monitor of an Info makes one step of an access
 * to a word and the number of that access; nothing else is done while it is held.
 */
final class Info {
    private static final AtomicLong IDS = new AtomicLong();

    final long id = IDS.incrementAndGet();
    /** The number of the object's own lock; written only while that lock is held. */
    long seq;
    /** The number of a second lock: an operation's ReentrantLock, a timer's delay queue. */
    long inner;
    /** The version of the object's recorded word; guarded by this Info's monitor. */
    long version;
    /** Of a timer: how many holds of its write lock are over; written by who holds it. */
    volatile long epoch;
    /** The timer that the object belongs to; null where none is known. */
    volatile Info timer;
    /** Of a list: the word that counts its timer's entries. */
    Info counter;
    /** Of a wheel and of a bucket: the level from 1 on, and its tick in ms. */
    int level;
    long tick;
    /** Of a bucket: its slot. */
    int slot;
    /** Of the watchers of a key: the ids of the key and of the purgatory. */
    long key, purgatory;

    static long id(Object object) {
        return object == null ? 0 : of(object).id;
    }

    static Info of(Object object) {
        return ((Traced) object).wp$info();
    }
}
