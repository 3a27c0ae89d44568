package org.apache.kafka.server.util.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import wheelproof.jvm.Harness;
import wheelproof.jvm.Scenario;
import wheelproof.jvm.Shared;

/**
 * A scenario of TimerTaskList on Kafka's own classes. An entry's number in the scenario is its
 * expirationMs, which nothing in these classes computes with.
 */
final class TimerTaskListHarness extends Harness {
    private static final VarHandle ROOT = handle(TimerTaskList.class, "root", TimerTaskEntry.class);
    private static final VarHandle POINTER =
            handle(TimerTask.class, "timerTaskEntry", TimerTaskEntry.class);

    /** A task that does nothing: what is checked is who hands it over. */
    static final class Task extends TimerTask {
        Task() {
            super(1);
        }

        @Override
        public void run() { }
    }

    private final AtomicInteger counter = new AtomicInteger();
    private final Map<String, TimerTaskList> lists = new LinkedHashMap<>();
    private final Map<String, TimerTask> tasks = new LinkedHashMap<>();
    private final transient Map<String, String> taskOf = new LinkedHashMap<>();
    private final transient List<String> entryNames;
    /** By number; null until it is made. */
    private final TimerTaskEntry[] entries;

    TimerTaskListHarness(Scenario scenario) {
        for (String name : scenario.values("lists")) {
            lists.put(name, new TimerTaskList(counter));
        }
        for (String name : scenario.keys("task_of")) {
            taskOf.put(name, scenario.value("task_of." + name));
            tasks.computeIfAbsent(taskOf.get(name), task -> new Task());
        }
        entryNames = new ArrayList<>(taskOf.keySet());
        entries = new TimerTaskEntry[entryNames.size()];
        for (String name : scenario.values("current")) {
            entries[entryNames.indexOf(name)] = make(name);
        }
        for (String list : lists.keySet()) {
            for (String name : scenario.values("ring." + list)) {
                lists.get(list).add(entry(name));
            }
        }
    }

    private static VarHandle handle(Class<?> type, String field, Class<?> of) {
        try {
            return MethodHandles.privateLookupIn(type, MethodHandles.lookup())
                    .findVarHandle(type, field, of);
        } catch (ReflectiveOperationException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    private TimerTaskEntry make(String name) {
        return new TimerTaskEntry(tasks.get(taskOf.get(name)), entryNames.indexOf(name));
    }

    private TimerTaskEntry entry(String name) {
        return entries[entryNames.indexOf(name)];
    }

    @Override
    public Object perform(String[] operation) {
        switch (operation[0]) {
            case "add" -> lists.get(operation[1]).add(entry(operation[2]));
            case "remove" -> entry(operation[1]).remove();
            case "cancel" -> tasks.get(operation[1]).cancel();
            case "flush" -> flush(lists.get(operation[1]), lists.get(operation[2]));
            case "expire" -> lists.get(operation[1]).flush(this::submit);
            case "schedule" -> requeue(make(operation[2]), lists.get(operation[1]));
            default -> throw new IllegalArgumentException(operation[0]);
        }
        return null;
    }

    private void flush(TimerTaskList from, TimerTaskList to) {
        from.flush(entry -> requeue(entry, to));
    }

    /** SystemTimer.addTimerTaskEntry into a bucket. */
    private void requeue(TimerTaskEntry entry, TimerTaskList to) {
        if (!entry.cancelled()) {
            to.add(entry);
        }
    }

    /** SystemTimer.addTimerTaskEntry to the executor. */
    private void submit(TimerTaskEntry entry) {
        if (!entry.cancelled()) {
            step("submit", entry);
        }
    }

    @Override
    public void met(Object object) {
        if (object instanceof TimerTaskEntry entry && entry.timerTask != null) {
            entries[(int) entry.expirationMs] = entry;
        }
    }

    @Override
    public String name(Object object) {
        if (object instanceof TimerTaskEntry entry) {
            return entry.timerTask == null ? nameOf(entry) + ".root"
                    : entryNames.get((int) entry.expirationMs);
        }
        for (Map<String, ?> named : List.of(lists, tasks)) {
            for (Map.Entry<String, ?> each : named.entrySet()) {
                if (each.getValue() == object) {
                    return each.getKey();
                }
            }
        }
        return object == counter ? "taskCounter" : null;
    }

    /** A node's name in the model, where a list's sentinel is the list. */
    private String nameOf(TimerTaskEntry node) {
        if (node == null) {
            return null;
        }
        for (Map.Entry<String, TimerTaskList> list : lists.entrySet()) {
            if (ROOT.get(list.getValue()) == node) {
                return list.getKey();
            }
        }
        return entryNames.get((int) node.expirationMs);
    }

    private String nameOf(TimerTaskList list) {
        return list == null ? null : name(list);
    }

    @Override
    public void shared(Shared out) {
        out.variable();
        for (TimerTaskList list : lists.values()) {
            out.name(nameOf(((TimerTaskEntry) ROOT.get(list)).next));
        }
        for (TimerTaskEntry entry : entries) {
            out.name(entry == null ? null : nameOf(entry.next));
        }
        out.variable();
        for (TimerTaskList list : lists.values()) {
            out.name(nameOf(((TimerTaskEntry) ROOT.get(list)).prev));
        }
        for (TimerTaskEntry entry : entries) {
            out.name(entry == null ? null : nameOf(entry.prev));
        }
        out.variable();
        for (TimerTaskEntry entry : entries) {
            out.name(entry == null ? null : nameOf(entry.list));
        }
        out.variable();
        for (TimerTaskList list : lists.values()) {
            out.monitor(owner(list), depth(list));
        }
        out.variable();
        for (TimerTaskEntry entry : entries) {
            out.monitor(entry == null ? 0 : owner(entry), entry == null ? 0 : depth(entry));
        }
        out.variable();
        for (TimerTask task : tasks.values()) {
            out.monitor(owner(task), depth(task));
        }
        out.variable();
        for (TimerTask task : tasks.values()) {
            out.name(nameOf((TimerTaskEntry) POINTER.getVolatile(task)));
        }
        out.variable().number(counter.get());
    }
}
