package wheelproof.agent;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.server.util.timer.TimerTask;
import org.apache.kafka.server.util.timer.TimerTaskEntry;

/**
 * What the changed classes of the timer call. {@link Sites} says where.
 *
 * <p>Package-private objects of Kafka's come as Object. An event is recorded with the lock of its
 * step held. A word that no lock guards is accessed, and its event recorded, under the monitor of
 * the object's {@link Info}: so the order of the events is that of the accesses.
 */
public final class TimerHooks {
    private static final ConcurrentHashMap<AtomicInteger, Info> COUNTERS =
        new ConcurrentHashMap<>();

    private TimerHooks() { }

    // -- objects

    public static Info info() {
        Info info = new Info();
        if (Recorder.on) {
            info.timer = Log.own().timer;
        }
        return info;
    }

    public static void timerBegun(Object timer) {
        Log.own().timer = Info.of(timer);
    }

    public static void timerMade(Object timer, Object name, long tick, int size, long start) {
        Recorder.NAMES.put(Info.id(timer), "timer " + name);
        Recorder.WHEELS.add(new long[] {tick, size, start});
        Log.own().timer = null;
    }

    public static void listMade(Object list, Object counter) {
        Info.of(list).counter = COUNTERS.computeIfAbsent((AtomicInteger) counter, key -> {
            Info made = new Info();
            Recorder.COUNTERS.add(made);
            return made;
        });
    }

    public static void wheelMade(Object wheel, long tick, int size) {
        Log log = Log.own();
        Info info = Info.of(wheel);
        info.level = log.parent == null ? 1 : log.parent.level + 1;
        info.tick = tick;
        long clock = ((Traced.Wheel) wheel).wp$clock();
        log.event(Kind.WHEEL_NEW).timer(info.timer).set(Column.LEVEL, info.level)
            .set(Column.WHEEL, clock).set(Column.PRE_KEY, tick).end();
        int slot = 0;
        for (Object bucket : ((Traced.Wheel) wheel).wp$buckets()) {
            Info list = Info.of(bucket);
            list.level = info.level;
            list.tick = tick;
            list.slot = slot++;
            bucket(log.event(Kind.BUCKET_NEW), list).set(Column.BUCKET, list.slot).end();
        }
    }

    private static Log bucket(Log log, Info list) {
        log.timer(list.timer).set(Column.LIST, list.id);
        return list.level == 0 ? log : log.set(Column.LEVEL, list.level);
    }

    /** The entry's columns; nothing for the root of a list. */
    static Log entry(Log log, TimerTaskEntry entry) {
        Info info = Info.of(entry);
        return log.timer(info.timer).name(Column.TASK, Info.id(entry.timerTask))
            .set(Column.ENTRY, info.id).set(Column.EXP, entry.expirationMs);
    }

    // -- add

    public static void addBegin(Object timer, Object task) {
        Log log = Log.own();
        Info info = Info.of(timer);
        log.timer = info;
        Info.of(task).timer = info;
        log.event(Kind.ADD_BEGIN).opens(info).timer(info).set(Column.TASK, Info.id(task)).end();
    }

    public static void addEnd(Object timer, Object task) {
        added(timer, task, Result.NONE);
    }

    public static void addRaised(Object timer, Object task) {
        added(timer, task, Result.RAISED);
    }

    private static void added(Object timer, Object task, Result result) {
        Log log = Log.own();
        log.event(Kind.ADD_END).closes().timer(Info.of(timer)).set(Column.TASK, Info.id(task))
            .result(result).end();
        log.timer = null;
        log.readAt = Long.MIN_VALUE;
    }

    public static void timeRead(long now, Object timer, Object task) {
        Log log = Log.own();
        log.readAt = now;
        log.event(Kind.ADD_REQUEST).timer(Info.of(timer)).set(Column.TASK, Info.id(task))
            .set(Column.DELAY, ((TimerTask) task).delayMs).set(Column.NOW, now).end();
        Faults.stall(log, Info.of(timer), Info.of(task));
    }

    public static void entryMade(Object made) {
        Log log = Log.own();
        TimerTaskEntry entry = (TimerTaskEntry) made;
        entry(log.event(Kind.ENTRY_NEW), entry);
        if (log.readAt != Long.MIN_VALUE) {
            log.set(Column.DELAY, entry.timerTask.delayMs).set(Column.NOW, log.readAt);
        }
        log.end();
    }

    // -- the word that names a task's live entry

    public static void setLive(Object task, Object entry) {
        Traced.Task word = (Traced.Task) task;
        Info info = word.wp$info();
        if (!Recorder.on) {
            word.wp$live(entry);
            return;
        }
        Log log = Log.own();
        synchronized (info) {
            long before = Info.id(word.wp$live());
            word.wp$live(entry);
            log.event(entry == null ? Kind.CANCEL : Kind.SET_ENTRY).timer(info.timer)
                .set(Column.TASK, info.id).name(Column.ENTRY, Info.id(entry))
                .set(Column.PRE_ENTRY, before)
                .set(Column.POST_ENTRY, Info.id(word.wp$live()))
                .word(Token.LIVE, Token.WRITE, info, ++info.version).end();
        }
    }

    public static Object live(Object task, Object entry) {
        Traced.Task word = (Traced.Task) task;
        if (!Recorder.on) {
            return word.wp$live();
        }
        Log log = Log.own();
        Info info = word.wp$info();
        synchronized (info) {
            Object live = word.wp$live();
            log.cancelled = live != entry;
            entry(log.event(Kind.CANCEL_CHECK), (TimerTaskEntry) entry)
                .set(Column.PRE_ENTRY, Info.id(live)).result(Result.of(log.cancelled))
                .word(Token.LIVE, Token.READ, info, info.version).end();
            return live;
        }
    }

    public static void cancelBegin(Object task) {
        Log.own().cancels++;
    }

    public static void cancelEnd(Object task) {
        Log.own().cancels--;
    }

    public static void cancelRaised(Object task) {
        Log.own().cancels--;
    }

    // -- lists

    public static void seenList(Object seen, Object list, Object entry) {
        if (seen != null && Recorder.on) {
            Log log = Log.own();
            entry(log.event(Kind.LIST_ADD_RETRY), (TimerTaskEntry) entry)
                .set(Column.PRE_LIST, Info.id(seen)).end();
        }
    }

    /** After the write: a thread that sees it waits for the monitors before it goes on. */
    public static int linked(AtomicInteger count, Object list, Object entry) {
        Info info = Info.of(list);
        if (!Recorder.on || info.counter == null) {
            return count.incrementAndGet();
        }
        Log log = Log.own();
        synchronized (info.counter) {
            log.event(Kind.LIST_ADD).set(Column.BUCKET, info.slot);
            return counted(log, count.incrementAndGet(), info, entry);
        }
    }

    /** The write that no entry has its list any more is that of {@link #unlinked}. */
    public static void unlists(Object entry, Object list) { }

    /** Before the write: a thread that sees it goes on without the monitors. */
    public static int unlinked(AtomicInteger count, Object list, Object entry) {
        Info info = Info.of(list);
        Traced.Entry word = (Traced.Entry) entry;
        if (!Recorder.on || info.counter == null) {
            word.wp$list(null);
            return count.decrementAndGet();
        }
        Log log = Log.own();
        synchronized (info.counter) {
            log.event(Kind.LIST_REMOVE).numbers();
            word.wp$list(null);
            log.cause(log.cancels > 0 ? Cause.CANCEL
                : log.flushing == info && !log.holds(Token.TASK) ? Cause.FLUSH : Cause.READD);
            return counted(log, count.decrementAndGet(), info, entry);
        }
    }

    private static int counted(Log log, int now, Info list, Object entry) {
        bucket(entry(log, (TimerTaskEntry) entry), list)
            .set(Column.POST_LIST, Info.id(((Traced.Entry) entry).wp$list()))
            .set(Column.POST_COUNTER, now)
            .word(Token.COUNTER, Token.WRITE, list.counter, ++list.counter.version).end();
        return now;
    }

    public static void flushBegin(Object list, Object consumer) {
        Log log = Log.own();
        Info info = Info.of(list);
        log.take(info, Token.LIST, list, true);
        log.flushing = info;
        bucket(log.event(Kind.FLUSH_BEGIN), info).opens(info).end();
    }

    public static void flushEnd(Object list, Object consumer) {
        flushed(list, Result.NONE);
    }

    public static void flushRaised(Object list, Object consumer) {
        flushed(list, Result.RAISED);
    }

    private static void flushed(Object list, Result result) {
        Log log = Log.own();
        Info info = Info.of(list);
        bucket(log.event(Kind.FLUSH_END), info).closes().result(result).end();
        log.flushing = null;
        log.give(info, Token.LIST);
    }

    // -- a bucket's key

    public static long keyed(AtomicLong word, long key, Object list) {
        return Recorder.on ? key(word, key, Info.of(list)) : word.getAndSet(key);
    }

    public static void unkeyed(AtomicLong word, long key, Object list) {
        if (Recorder.on) {
            key(word, key, Info.of(list));
        } else {
            word.set(key);
        }
    }

    private static long key(AtomicLong word, long key, Info list) {
        Log log = Log.own();
        synchronized (list) {
            long before = word.getAndSet(key);
            log.key = key;
            bucket(log.event(Kind.BUCKET_EXPIRY_SET), list).set(Column.KEY_MS, key)
                .set(Column.PRE_KEY, before).set(Column.POST_KEY, key)
                .result(Result.of(before != key))
                .word(Token.KEY, Token.WRITE, list, ++list.version);
            if (key >= 0) {
                log.set(Column.EXP, log.deadline);
            }
            log.end();
            return before;
        }
    }

    // -- the delay queue: getDelay is called inside its lock, and the head that is due is taken

    public static void seenKey(long key) {
        Log.own().seenKey = key;
    }

    public static void seenNow(long now) {
        Log.own().seenNow = now;
    }

    public static void delayBegin(Object list, Object unit) { }

    public static void delayEnd(Object list, Object unit, long left) {
        Info info = Info.of(list);
        if (left > 0 || !Recorder.on || info.timer == null) {
            return;
        }
        Log log = Log.own();
        log.take(info.timer, Token.QUEUE, null, true);
        bucket(log.event(Kind.DQ_POLL), info).set(Column.NOW, log.seenNow)
            .set(Column.KEY_MS, log.seenKey).end();
        log.give(info.timer, Token.QUEUE);
    }

    public static void delayRaised(Object list, Object unit) { }

    public static void offers(Object bucket) {
        Log log = Log.own();
        bucket(log.event(Kind.DQ_OFFER), Info.of(bucket)).set(Column.KEY_MS, log.key).end();
    }

    // -- wheels

    public static void aboveBegin(Object wheel) {
        Log log = Log.own();
        log.parent = Info.of(wheel);
        log.timer = log.parent.timer;
        LockHooks.entered(wheel);
    }

    public static void aboveEnd(Object wheel) {
        Log log = Log.own();
        log.parent = null;
        if (log.flushing != null) {
            log.timer = null;
        }
        LockHooks.left(wheel);
    }

    public static void aboveRaised(Object wheel) {
        aboveEnd(wheel);
    }

    /** Before the write: a thread that sees the level comes after this event. */
    public static void publishes(Object wheel) {
        Info info = Info.of(wheel);
        Log.own().event(Kind.OVERFLOW_CREATE).timer(info.timer)
            .set(Column.LEVEL, info.level + 1)
            .word(Token.ABOVE, Token.WRITE, info, ++info.version).end();
    }

    public static void advanced(Object wheel) {
        Log log = Log.own();
        Info info = Info.of(wheel);
        log.event(Kind.CLOCK_ADVANCE).timer(info.timer).set(Column.LEVEL, info.level)
            .set(Column.NOW, log.seenNow).set(Column.WHEEL, ((Traced.Wheel) wheel).wp$clock())
            .end();
    }

    public static void places(Object bucket, Object entry, Object wheel) {
        Log log = Log.own();
        Info list = Info.of(bucket);
        log.deadline = ((TimerTaskEntry) entry).expirationMs;
        entry(log.event(Kind.WHEEL_PLACE), (TimerTaskEntry) entry);
        bucket(log, list).set(Column.BUCKET, list.slot)
            .set(Column.VID, log.deadline / list.tick)
            .set(Column.WHEEL, ((Traced.Wheel) wheel).wp$clock()).end();
    }

    public static void askBegin(Object wheel, Object entry) {
        Log.own().rejected = false;
    }

    public static void askEnd(Object wheel, Object entry, boolean taken) {
        Log log = Log.own();
        if (taken || log.rejected) {
            return;
        }
        log.rejected = true;
        log.lowest = ((Traced.Wheel) wheel).wp$clock();
        entry(log.event(Kind.WHEEL_REJECT), (TimerTaskEntry) entry)
            .set(Column.LEVEL, Info.of(wheel).level).set(Column.WHEEL, log.lowest)
            .cause(log.cancelled ? Cause.CANCEL : Cause.DUE).end();
    }

    public static void askRaised(Object wheel, Object entry) { }
}
