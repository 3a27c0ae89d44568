package org.apache.kafka.server.purgatory;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import wheelproof.jvm.Harness;
import wheelproof.jvm.Scenario;
import wheelproof.jvm.Shared;
import wheelproof.jvm.Site;

/** A scenario of the purgatory, with as many shards as the scenario has instead of 512. */
public final class PurgatoryHarness extends Harness {
    private static final Field SHARDS = field(DelayedOperationPurgatory.class, "watcherLists");
    private static final Field ESTIMATED =
            field(DelayedOperationPurgatory.class, "estimatedTotalOperations");
    private static final Field BY_KEY = field(nested("WatcherList"), "watchersByKey");
    private static final Field LOCK = field(nested("WatcherList"), "watchersLock");
    private static final Field QUEUE = field(nested("Watchers"), "operations");
    private static final Field TABLE = field(ConcurrentHashMap.class, "table");
    private static final Method ADVANCE = advance();
    /** Operation that goes through all lists -> the step in which it looks for the next one. */
    private static final Map<String, String> LOOKS =
            Map.of("purge", "purges", "watched", "counts");

    private final Map<String, AtomicBoolean> conditions = new LinkedHashMap<>();
    private final Map<String, NamedKey> keys = new LinkedHashMap<>();
    private final Map<String, WatchedOperation> operations = new LinkedHashMap<>();
    private final DelayedOperationPurgatory<WatchedOperation> purgatory;
    /** The callers' own lock. */
    private final ReentrantLock outer = new ReentrantLock();
    /** All lists that were made for a key: the list itself, then what was ever added to it. */
    private final Map<String, List<List<Object>>> made = new LinkedHashMap<>();

    /** Thread -> where it stands in a shard's map. */
    private final Map<Integer, Sweep<?>> sweeping = new TreeMap<>();
    /** Thread -> its step in which it looks for the next list; the operation under way says it. */
    private final transient Map<Integer, String> looking = new TreeMap<>();

    PurgatoryHarness(Scenario scenario) {
        for (String name : scenario.keys("keys")) {
            keys.put(name, new NamedKey(name, Integer.parseInt(scenario.value("keys." + name))));
            made.put(name, new ArrayList<>());
        }
        for (String name : scenario.keys("need")) {
            List<NamedKey> watched =
                    scenario.values("keys_of." + name).stream().map(keys::get).toList();
            AtomicBoolean condition = conditions.computeIfAbsent(
                    scenario.value("need." + name), key -> new AtomicBoolean());
            boolean fails = scenario.values("raises").contains(name);
            ReentrantLock taken = scenario.values("locking").contains(name) ? outer : null;
            operations.put(name, new WatchedOperation(condition, watched, fails, taken));
        }
        purgatory = new DelayedOperationPurgatory<>("scenario",
                new ScenarioTimer(operations.values()), 0,
                Integer.parseInt(scenario.value("interval")), false, true);
        List<?> all = shards();
        int count = Integer.parseInt(scenario.value("shards"));
        set(SHARDS, purgatory, new ArrayList<>(all.subList(0, count)));
        shards().forEach(shard -> set(BY_KEY, shard, new SteppedMap<>(this)));
        operations.forEach((name, operation) -> {
            List<String> next = scenario.values("adds." + name);
            operation.waitIn(purgatory, next.isEmpty() ? null : operations.get(next.get(0)));
        });
    }

    private static Class<?> nested(String name) {
        try {
            String outer = DelayedOperationPurgatory.class.getName();
            return Class.forName(outer + "$" + name, false,
                    PurgatoryHarness.class.getClassLoader());
        } catch (ClassNotFoundException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    private static Field field(Class<?> type, String name) {
        try {
            Field found = type.getDeclaredField(name);
            found.setAccessible(true);
            return found;
        } catch (NoSuchFieldException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    private static Method advance() {
        try {
            Method found = DelayedOperationPurgatory.class
                    .getDeclaredMethod("advanceClock", long.class);
            found.setAccessible(true);
            return found;
        } catch (NoSuchMethodException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    private static Object get(Field field, Object object) {
        try {
            return field.get(object);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    private static void set(Field field, Object object, Object value) {
        try {
            field.set(object, value);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    private List<?> shards() {
        return (List<?>) get(SHARDS, purgatory);
    }

    /** The running thread goes through a shard's map, or is through. */
    void sweeps(Sweep<?> sweep) {
        if (sweep == null) {
            sweeping.remove(thread());
        } else {
            sweeping.put(thread(), sweep);
        }
    }

    /** The running thread looks for the next list of a shard. */
    void looks() {
        step(looking.get(thread()));
    }

    @Override
    public Object perform(String[] operation) {
        looking.put(thread(), LOOKS.getOrDefault(operation[0], ""));
        try {
            return switch (operation[0]) {
                case "watch" -> operations.get(operation[1]).enter();
                case "watch_holding" -> {
                    outer.lock();
                    boolean done = operations.get(operation[1]).enter();
                    outer.unlock();
                    yield done;
                }
                case "deliver" -> {
                    conditions.get(operation[1]).set(true);
                    yield purgatory.checkAndComplete(keys.get(operation[2]));
                }
                case "check" -> purgatory.checkAndComplete(keys.get(operation[1]));
                case "force" -> operations.get(operation[1]).forceComplete();
                case "expire" -> expire(operations.get(operation[1]));
                case "cancel_key" -> purgatory.cancelForKey(keys.get(operation[1])).stream()
                        .map(this::name).toList();
                case "purge" -> purge();
                case "watched" -> purgatory.watched();
                case "num_delayed" -> purgatory.numDelayed();
                default -> throw new IllegalArgumentException(operation[0]);
            };
        } catch (Failed failed) {
            return failed.result();
        }
    }

    /** What the purgatory's own thread does again and again; the timer has no clock here. */
    private Object purge() {
        try {
            return ADVANCE.invoke(purgatory, 0L);
        } catch (IllegalAccessException | InvocationTargetException error) {
            throw new IllegalStateException(error);
        }
    }

    /** The timer runs an operation's task, if it gets it. */
    private Object expire(WatchedOperation operation) {
        step("take", operation);
        if (operation.armed.getAndSet(false)) {
            operation.run();
        }
        return null;
    }

    @Override
    public boolean waits(int thread, Site site, Object target, Object[] values) {
        return site.key.equals("harness:take") && values[0] instanceof WatchedOperation operation
                && !operation.armed.get() && operation.entering.get();
    }

    @Override
    public String name(Object object) {
        for (Map<String, ?> named : List.of(conditions, operations, keys)) {
            for (Map.Entry<String, ?> each : named.entrySet()) {
                if (each.getValue() == object) {
                    return each.getKey();
                }
            }
        }
        return null;
    }

    @Override
    public void shared(Shared out) {
        out.variable();
        conditions.values().forEach(condition -> out.truth(condition.get()));
        out.variable();
        operations.values().forEach(operation -> out.truth(operation.isCompleted()));
        // a note of threads that did not get the lock: these operations have none
        out.variable();
        operations.values().forEach(operation -> out.truth(false));
        out.variable();
        operations.values().forEach(operation -> {
            agree(operation.isLocked(), operation.guard());
            out.monitor(owner(operation.guard()), depth(operation.guard()));
        });
        agree(outer.isLocked(), outer);
        out.variable().thread(owner(outer));
        out.variable();
        operations.values().forEach(operation -> out.truth(operation.armed.get()));
        out.variable();
        operations.values().forEach(operation -> out.truth(operation.entering.get()));
        out.variable();
        for (Object shard : shards()) {
            ReentrantLock lock = (ReentrantLock) get(LOCK, shard);
            agree(lock.isLocked(), lock);
            out.thread(owner(lock));
        }
        lists(out);
        out.variable().number(((AtomicInteger) get(ESTIMATED, purgatory)).get());
        out.variable();
        operations.values().forEach(operation -> out.number(operation.completions.get()));
        out.variable();
        operations.values().forEach(operation -> out.number(operation.expirations.get()));
    }

    private void agree(boolean locked, Object lock) {
        if (locked != (owner(lock) != 0)) {
            throw new IllegalStateException("the real lock is not as the table has it");
        }
    }

    /** The variables {@code list}, {@code used} and {@code content}. */
    private void lists(Shared out) {
        out.variable();
        for (NamedKey key : keys.values()) {
            List<List<Object>> known = made.get(key.name);
            Object current = watchers(key);
            if (current != null && known.stream().noneMatch(list -> list.get(0) == current)) {
                known.add(new ArrayList<>(List.of(current)));
            }
            int place = 0;
            for (int index = 0; index < known.size(); index++) {
                place = known.get(index).get(0) == current ? index + 1 : place;
            }
            out.number(place);
        }
        out.variable();
        shards().forEach(shard -> out.truth(isUsed(byKey(shard))));
        out.variable();
        for (List<List<Object>> known : made.values()) {
            out.tuple(known.size());
            known.forEach(list -> content(out, list));
        }
    }

    /** One list: what was added, in order; null where it was taken out. */
    private void content(Shared out, List<Object> list) {
        Queue<?> queue = (Queue<?>) get(QUEUE, list.get(0));
        for (Object operation : queue) {
            if (!list.contains(operation)) {
                list.add(operation);
            }
        }
        List<Object> added = list.subList(1, list.size());
        out.tuple(added.size());
        added.forEach(each -> out.name(queue.contains(each) ? name(each) : null));
    }

    private static Map<?, ?> byKey(Object shard) {
        return (Map<?, ?>) get(BY_KEY, shard);
    }

    /** The JDK makes a map's table when something is put into it for the first time. */
    static boolean isUsed(Map<?, ?> map) {
        return get(TABLE, map) != null;
    }

    /** The list that a key has, or null. */
    private Object watchers(NamedKey key) {
        for (Object shard : shards()) {
            if (byKey(shard).get(key) != null) {
                return byKey(shard).get(key);
            }
        }
        return null;
    }
}
