package wheelproof.agent;

import static wheelproof.agent.Site.after;
import static wheelproof.agent.Site.before;
import static wheelproof.agent.Site.instead;
import static wheelproof.agent.Site.wrap;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Where the classes of Kafka 4.3 are hooked. A class in which a site is found more or less often
 * is one of another release, and is refused.
 */
final class Sites {
    static final String TIMER = "org/apache/kafka/server/util/timer/";
    static final String PURGATORY = "org/apache/kafka/server/purgatory/";

    private static final String ATOMIC = "java/util/concurrent/atomic/";
    private static final String LOCKS = "java/util/concurrent/locks/";
    private static final String TIME = "call org/apache/kafka/common/utils/Time.hiResClockMs";
    private static final String ENTER = "monitorenter", EXIT = "monitorexit";
    private static final String LOCK = "call " + LOCKS + "ReentrantLock.lock";
    private static final String UNLOCK = "call " + LOCKS + "ReentrantLock.unlock";
    private static final String OPERATION = "DelayedOperation.";
    private static final String NEXT = "call java/util/Iterator.next";
    private static final String REMOVE = "call java/util/Iterator.remove";

    private static final Map<String, List<Site>> ALL = new HashMap<>();

    private Sites() { }

    /** The sites of a class by its internal name; null for a class that is left alone. */
    static List<Site> of(String name) {
        return ALL.get(name);
    }

    static {
        ALL.put(TIMER + "TimerTaskList", List.of(
            after("<init>(Ljava/util/concurrent/atomic/AtomicInteger;"
                + "Lorg/apache/kafka/common/utils/Time;)V", "super", 1, "listMade", "t a1"),
            wrap("flush", "flush"),
            wrap("remove", "monitor1"),
            wrap("foreach", "monitor1"),
            wrap("getDelay", "delay"),
            after("add", ENTER, 2, "entered", "d"),
            before("add", EXIT, 4, "left", "d"),
            after("remove", ENTER, 1, "entered", "d"),
            before("remove", EXIT, 2, "left", "d"),
            after("add", "getfield " + TIMER + "TimerTaskEntry.list", 1, "seenList", "d t a1"),
            instead("add", "call " + ATOMIC + "AtomicInteger.incrementAndGet", 1, "linked",
                "t a1"),
            instead("remove", "putfield " + TIMER + "TimerTaskEntry.list", 1, "unlists", ""),
            instead("remove", "call " + ATOMIC + "AtomicInteger.decrementAndGet", 1, "unlinked",
                "t a1"),
            instead("setExpiration", "call " + ATOMIC + "AtomicLong.getAndSet", 1, "keyed", "t"),
            instead("flush", "call " + ATOMIC + "AtomicLong.set", 1, "unkeyed", "t"),
            after("getDelay", "call " + TIMER + "TimerTaskList.getExpiration", 1, "seenKey", "D"),
            after("getDelay", TIME, 1, "seenNow", "D")));
        ALL.put(TIMER + "TimerTaskEntry", List.of(
            before("<init>", "call " + TIMER + "TimerTask.setTimerTaskEntry", 1, "entryMade", "t"),
            instead("cancelled", "call " + TIMER + "TimerTask.getTimerTaskEntry", 1, "live", "t")));
        ALL.put(TIMER + "TimerTask", List.of(
            wrap("cancel", "cancel"),
            after("cancel", ENTER, 1, "entered", "d"),
            before("cancel", EXIT, 2, "left", "d"),
            after("setTimerTaskEntry", ENTER, 1, "entered", "d"),
            before("setTimerTaskEntry", EXIT, 2, "left", "d"),
            instead("cancel", "putfield " + TIMER + "TimerTask.timerTaskEntry", 1, "setLive", ""),
            instead("setTimerTaskEntry", "putfield " + TIMER + "TimerTask.timerTaskEntry", 1,
                "setLive", "")));
        ALL.put(TIMER + "TimingWheel", List.of(
            before("<init>", "return", 1, "wheelMade", "t l1 i3"),
            wrap("addOverflowWheel", "above"),
            before("addOverflowWheel", "putfield " + TIMER + "TimingWheel.overflowWheel", 1,
                "publishes", "t"),
            wrap("add", "ask"),
            before("add", "call " + TIMER + "TimerTaskList.add", 1, "places", "D t"),
            before("add", "call java/util/concurrent/DelayQueue.offer", 1, "offers", "d"),
            after("advanceClock", "putfield " + TIMER + "TimingWheel.currentTimeMs", 1, "advanced",
                "t")));
        ALL.put(TIMER + "SystemTimer", List.of(
            after("<init>(Ljava/lang/String;JIJ)V", "super", 1, "timerBegun", "t"),
            before("<init>(Ljava/lang/String;JIJ)V", "return", 1, "timerMade", "t a1 l2 i4 l5"),
            wrap("add", "add"),
            after("add", TIME, 1, "timeRead", "D t a1"),
            instead("add", "call " + LOCKS + "ReentrantReadWriteLock$ReadLock.lock", 1, "readLock",
                "t"),
            instead("add", "call " + LOCKS + "ReentrantReadWriteLock$ReadLock.unlock", 2,
                "readUnlock", "t"),
            instead("advanceClock", "call " + LOCKS + "ReentrantReadWriteLock$WriteLock.lock", 1,
                "writeLock", "t"),
            instead("advanceClock", "call " + LOCKS + "ReentrantReadWriteLock$WriteLock.unlock", 2,
                "writeUnlock", "t"),
            wrap("addTimerTaskEntry", "entrust"),
            instead("addTimerTaskEntry", "call java/util/concurrent/ExecutorService.submit", 1,
                "submit", "a1")));
        ALL.put(PURGATORY + "DelayedOperation", List.of(
            before("<init>", "return", 1, "operationMade", "t"),
            wrap("forceComplete", "force"),
            before("forceComplete", "putfield " + PURGATORY + OPERATION + "completed", 1,
                "completes", "t"),
            instead("forceComplete", LOCK, 1, "lock", "t"),
            instead("forceComplete", UNLOCK, 3, "unlock", "t"),
            instead("forceComplete", "call " + PURGATORY + OPERATION + "onComplete", 1,
                "onComplete", ""),
            instead("safeTryCompleteOrElse", LOCK, 1, "lock", "t"),
            instead("safeTryCompleteOrElse", UNLOCK, 3, "unlock", "t"),
            instead("safeTryCompleteOrElse", "call " + PURGATORY + OPERATION + "tryComplete", 2,
                "tryComplete", ""),
            instead("safeTryComplete", LOCK, 1, "lock", "t"),
            instead("safeTryComplete", UNLOCK, 3, "unlock", "t"),
            after("safeTryComplete", "call " + PURGATORY + OPERATION + "isCompleted", 1,
                "foundCompleted", "d t"),
            instead("safeTryComplete", "call " + PURGATORY + OPERATION + "tryComplete", 1,
                "tryComplete", ""),
            instead("run", "call " + PURGATORY + OPERATION + "onExpiration", 1, "onExpiration",
                "")));
        ALL.put(PURGATORY + "DelayedOperationPurgatory", List.of(
            after("<init>(Ljava/lang/String;Lorg/apache/kafka/server/util/timer/Timer;IIZZ)V",
                "super", 1, "purgatoryMade", "t a1"),
            wrap("tryCompleteElseWatch", "watching"),
            wrap("checkAndComplete", "checking"),
            wrap("cancelForKey", "cancelling"),
            instead("checkAndComplete", LOCK, 1, "checkLock", "t a1"),
            instead("checkAndComplete", UNLOCK, 2, "shardUnlock", ""),
            instead("cancelForKey", LOCK, 1, "cancelLock", "t a1"),
            instead("cancelForKey", UNLOCK, 3, "shardUnlock", ""),
            instead("watchForOperation", LOCK, 1, "shardLock", ""),
            instead("watchForOperation", UNLOCK, 2, "shardUnlock", ""),
            before("watchForOperation", "call " + PURGATORY
                + "DelayedOperationPurgatory$Watchers.watch", 1, "watches", "t a1 a2")));
        ALL.put(PURGATORY + "DelayedOperationPurgatory$Watchers", List.of(
            after("<init>", "super", 1, "watchersMade", "t a1 a2"),
            after("tryCompleteWatched", NEXT, 1, "watched", "d"),
            instead("tryCompleteWatched", REMOVE, 2, "unwatch", "t"),
            after("cancel", NEXT, 1, "watched", "d"),
            instead("cancel", REMOVE, 1, "unwatch", "t"),
            after("purgeCompleted", NEXT, 1, "watched", "d"),
            instead("purgeCompleted", REMOVE, 1, "unwatch", "t")));
    }
}
