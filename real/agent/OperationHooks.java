package wheelproof.agent;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.server.purgatory.DelayedOperation;
import org.apache.kafka.server.util.timer.TimerTask;

/** What the changed classes of the purgatory call. {@link Sites} says where. */
public final class OperationHooks {
    private static final long NS_PER_MS = 1_000_000;

    /** A lock of a purgatory's that guards the watchers of some keys. */
    private static final ConcurrentHashMap<ReentrantLock, Info> SHARDS = new ConcurrentHashMap<>();
    /** (purgatory, key) -> id. */
    private static final ConcurrentHashMap<Map.Entry<Long, Object>, Long> KEYS =
        new ConcurrentHashMap<>();

    private OperationHooks() { }

    // -- operations; each is its own timer task, and has one id as both

    public static void operationMade(Object operation) {
        long id = Info.id(operation);
        Log.own().event(Kind.OP_NEW).set(Column.TASK, id).set(Column.OP, id)
            .set(Column.DELAY, ((TimerTask) operation).delayMs).end();
    }

    public static void lock(ReentrantLock lock, Object operation) {
        lock.lock();
        if (Recorder.on) {
            Log.own().take(Info.of(operation), Token.OP, lock, true);
        }
    }

    public static void unlock(ReentrantLock lock, Object operation) {
        if (Recorder.on) {
            Log.own().give(Info.of(operation), Token.OP);
        }
        lock.unlock();
    }

    private static Cause cause(Log log, Info operation) {
        return log.running == operation ? Cause.EXPIRY
            : log.inside(operation) ? Cause.EVENT : Cause.FORCED;
    }

    /** Before the write, inside the lock: a thread that sees it comes after this event. */
    public static void completes(Object operation) {
        Log log = Log.own();
        Info info = Info.of(operation);
        log.event(Kind.FORCE_CAS).set(Column.OP, info.id).set(Column.PRE_COMPLETED, 0)
            .cause(cause(log, info)).result(Result.TRUE).word(Token.COMPLETED, Token.CAS, info, 1);
        if (log.running == info) {
            log.set(Column.EXP, log.runningDeadline)
                .set(Column.NOW, System.nanoTime() / NS_PER_MS);
        }
        log.end();
    }

    public static void forceBegin(Object operation) { }

    public static void forceEnd(Object operation, boolean won) {
        if (!won && Recorder.on) {
            Log log = Log.own();
            Info info = Info.of(operation);
            log.event(Kind.FORCE_CAS).set(Column.OP, info.id).set(Column.PRE_COMPLETED, 1)
                .cause(cause(log, info)).result(Result.FALSE)
                .word(Token.COMPLETED, Token.CAS_FAILED, info, 1).end();
        }
    }

    public static void forceRaised(Object operation) { }

    public static void onComplete(DelayedOperation operation) {
        Log log = Log.own();
        Info info = Info.of(operation);
        log.event(Kind.ON_COMPLETE_BEGIN).opens(null).set(Column.OP, info.id).end();
        Result result = Result.RAISED;
        try {
            operation.onComplete();
            result = Result.NONE;
        } finally {
            log.event(Kind.ON_COMPLETE_END).closes().set(Column.OP, info.id).result(result).end();
        }
    }

    public static boolean tryComplete(DelayedOperation operation) {
        Log log = Log.own();
        Info info = Info.of(operation);
        log.event(Kind.TRY_BEGIN).opens(info).set(Column.OP, info.id).result(Result.TRUE).end();
        Result result = Result.RAISED;
        try {
            boolean completed = operation.tryComplete();
            result = Result.of(completed);
            return completed;
        } finally {
            log.event(Kind.TRY_END).closes().set(Column.OP, info.id).result(result).end();
        }
    }

    /** An attempt that finds the operation completed, and does not come to tryComplete. */
    public static void foundCompleted(boolean completed, Object operation) {
        if (completed) {
            Info info = Info.of(operation);
            Log.own().event(Kind.TRY_BEGIN).set(Column.OP, info.id).set(Column.PRE_COMPLETED, 1)
                .result(Result.FALSE).word(Token.COMPLETED, Token.READ, info, 1).end();
        }
    }

    public static void onExpiration(DelayedOperation operation) {
        Log.own().event(Kind.ON_EXPIRE).set(Column.OP, Info.id(operation)).end();
        operation.onExpiration();
    }

    // -- purgatories, and the watchers of their keys

    public static void purgatoryMade(Object purgatory, Object name) {
        Recorder.NAMES.put(Info.id(purgatory), "purgatory " + name);
    }

    private static long key(long purgatory, Object key) {
        return KEYS.computeIfAbsent(Map.entry(purgatory, key), each -> {
            long id = new Info().id;
            Recorder.NAMES.put(id, Recorder.NAMES.get(purgatory) + ", key " + key);
            return id;
        });
    }

    private static void takeShard(ReentrantLock lock) {
        Info shard = SHARDS.computeIfAbsent(lock, each -> new Info());
        Log.own().take(shard, Token.SHARD, lock, true);
    }

    public static void shardLock(ReentrantLock lock) {
        lock.lock();
        takeShard(lock);
    }

    public static void shardUnlock(ReentrantLock lock) {
        Info shard = SHARDS.get(lock);
        if (shard != null) {
            Log.own().give(shard, Token.SHARD);
        }
        lock.unlock();
    }

    public static void watchersMade(Object watchers, Object purgatory, Object key) {
        Info info = Info.of(watchers);
        info.purgatory = Info.id(purgatory);
        info.key = key(info.purgatory, key);
    }

    /** Before it is put there, inside the lock: a check that finds it comes after this event. */
    public static void watches(Object purgatory, Object key, Object operation) {
        long id = Info.id(purgatory);
        Log.own().event(Kind.WATCH_ADD).set(Column.PURGATORY, id)
            .set(Column.OP, Info.id(operation)).set(Column.KEY, key(id, key)).end();
    }

    public static void watched(Object operation) {
        Log.own().watched = operation;
    }

    /** Before it is taken out: a check that does not find it comes after this event. */
    public static void unwatch(Iterator<?> operations, Object watchers) {
        Log log = Log.own();
        Info info = Info.of(watchers);
        log.event(Kind.WATCH_CANCEL).set(Column.PURGATORY, info.purgatory)
            .set(Column.OP, Info.id(log.watched)).set(Column.KEY, info.key).end();
        operations.remove();
    }

    public static void watchingBegin(Object purgatory, Object operation, Object keys) {
        Info info = Info.of(operation);
        Log.own().event(Kind.TRY_WATCH_BEGIN).opens(null).set(Column.PURGATORY, Info.id(purgatory))
            .set(Column.OP, info.id).end();
    }

    public static void watchingEnd(Object purgatory, Object operation, Object keys,
            boolean completed) {
        watching(purgatory, operation, Result.of(completed));
    }

    public static void watchingRaised(Object purgatory, Object operation, Object keys) {
        watching(purgatory, operation, Result.RAISED);
    }

    private static void watching(Object purgatory, Object operation, Result result) {
        Log.own().event(Kind.TRY_WATCH_END).closes().set(Column.PURGATORY, Info.id(purgatory))
            .set(Column.OP, Info.id(operation)).result(result).end();
    }

    // -- a check, and a cancel, of a key: they begin with the lock of the watchers held

    private static void keyBegins(Kind kind, Object purgatory, Object key) {
        long id = Info.id(purgatory);
        Log.own().event(kind).opens(null).set(Column.PURGATORY, id).set(Column.KEY, key(id, key))
            .end();
    }

    private static void keyEnds(Kind kind, Object purgatory, Object key, Result result) {
        long id = Info.id(purgatory);
        Log.own().event(kind).closes().set(Column.PURGATORY, id).set(Column.KEY, key(id, key))
            .result(result).end();
    }

    public static void checkLock(ReentrantLock lock, Object purgatory, Object key) {
        lock.lock();
        takeShard(lock);
        keyBegins(Kind.CHECK_BEGIN, purgatory, key);
    }

    public static void checkingBegin(Object purgatory, Object key) { }

    public static void checkingEnd(Object purgatory, Object key, int completed) {
        keyEnds(Kind.CHECK_END, purgatory, key, Result.NONE);
    }

    public static void checkingRaised(Object purgatory, Object key) {
        keyEnds(Kind.CHECK_END, purgatory, key, Result.RAISED);
    }

    public static void cancelLock(ReentrantLock lock, Object purgatory, Object key) {
        lock.lock();
        takeShard(lock);
        keyBegins(Kind.CANCEL_KEY_BEGIN, purgatory, key);
    }

    public static void cancellingBegin(Object purgatory, Object key) { }

    public static void cancellingEnd(Object purgatory, Object key, Object cancelled) {
        keyEnds(Kind.CANCEL_KEY_END, purgatory, key, Result.NONE);
    }

    public static void cancellingRaised(Object purgatory, Object key) {
        keyEnds(Kind.CANCEL_KEY_END, purgatory, key, Result.RAISED);
    }
}
