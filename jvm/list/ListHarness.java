package subject;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import wheelproof.jvm.Harness;
import wheelproof.jvm.Scenario;
import wheelproof.jvm.Shared;

/**
 * A scenario of TimerTaskList on Kafka's own classes, of Java or of Scala: {@code L}, {@code E} and
 * {@code T} are its lists, entries and tasks. An entry's number in the scenario is its
 * expirationMs, which nothing in these classes computes with.
 */
public abstract class ListHarness<L, E, T> extends Harness {
    protected final AtomicInteger counter = new AtomicInteger();
    private final Map<String, L> lists = new LinkedHashMap<>();
    private final Map<String, T> tasks = new LinkedHashMap<>();
    private final transient Map<String, String> taskOf = new LinkedHashMap<>();
    private final transient List<String> entryNames;
    /** By number; null until it is made. */
    private final Object[] entries;

    protected ListHarness(Scenario scenario) {
        for (String name : scenario.values("lists")) {
            lists.put(name, list());
        }
        for (String name : scenario.keys("task_of")) {
            taskOf.put(name, scenario.value("task_of." + name));
            tasks.computeIfAbsent(taskOf.get(name), task -> task());
        }
        entryNames = new ArrayList<>(taskOf.keySet());
        entries = new Object[entryNames.size()];
        for (String name : scenario.values("current")) {
            entries[entryNames.indexOf(name)] = make(name);
        }
        for (String list : lists.keySet()) {
            for (String name : scenario.values("ring." + list)) {
                add(lists.get(list), entry(name));
            }
        }
    }

    /** A list whose links are counted by {@link #counter}. */
    protected abstract L list();

    /** A task that does nothing: what is checked is who hands it over. */
    protected abstract T task();

    /** A new entry of a task. */
    protected abstract E make(T task, int number);

    protected abstract void add(L list, E entry);

    protected abstract void remove(E entry);

    protected abstract void cancel(T task);

    /** TimerTaskList.flush with {@link #requeue}; to the executor where {@code to} is null. */
    protected abstract void flush(L from, L to);

    protected abstract boolean cancelled(E entry);

    // What follows reads fields: a call of the subject's code would be a step.

    /** The entry that an object is; null where it is none. */
    protected abstract E entryOf(Object object);

    protected abstract boolean isRoot(E entry);

    protected abstract int number(E entry);

    protected abstract E root(L list);

    protected abstract E next(E entry);

    protected abstract E previous(E entry);

    protected abstract L listOf(E entry);

    protected abstract E pointer(T task);

    private E make(String name) {
        return make(tasks.get(taskOf.get(name)), entryNames.indexOf(name));
    }

    @SuppressWarnings("unchecked")
    private E entry(int number) {
        return (E) entries[number];
    }

    private E entry(String name) {
        return entry(entryNames.indexOf(name));
    }

    @Override
    public final Object perform(String[] operation) {
        switch (operation[0]) {
            case "add" -> add(lists.get(operation[1]), entry(operation[2]));
            case "remove" -> remove(entry(operation[1]));
            case "cancel" -> cancel(tasks.get(operation[1]));
            case "flush" -> flush(lists.get(operation[1]), lists.get(operation[2]));
            case "expire" -> flush(lists.get(operation[1]), null);
            case "schedule" -> requeue(make(operation[2]), lists.get(operation[1]));
            default -> throw new IllegalArgumentException(operation[0]);
        }
        return null;
    }

    /** SystemTimer.addTimerTaskEntry, into a bucket or to the executor. */
    protected final void requeue(E entry, L to) {
        if (cancelled(entry)) {
            return;
        }
        if (to == null) {
            step("submit", entry);
        } else {
            add(to, entry);
        }
    }

    @Override
    public final void met(Object object) {
        E entry = entryOf(object);
        if (entry != null && !isRoot(entry)) {
            entries[number(entry)] = entry;
        }
    }

    @Override
    public final String name(Object object) {
        E entry = entryOf(object);
        if (entry != null) {
            return isRoot(entry) ? nameOf(entry) + ".root" : entryNames.get(number(entry));
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
    private String nameOf(E node) {
        if (node == null) {
            return null;
        }
        for (Map.Entry<String, L> list : lists.entrySet()) {
            if (root(list.getValue()) == node) {
                return list.getKey();
            }
        }
        return entryNames.get(number(node));
    }

    @Override
    public final void shared(Shared out) {
        out.variable();
        lists.values().forEach(list -> out.name(nameOf(next(root(list)))));
        for (int each = 0; each < entries.length; each++) {
            out.name(entries[each] == null ? null : nameOf(next(entry(each))));
        }
        out.variable();
        lists.values().forEach(list -> out.name(nameOf(previous(root(list)))));
        for (int each = 0; each < entries.length; each++) {
            out.name(entries[each] == null ? null : nameOf(previous(entry(each))));
        }
        out.variable();
        for (int each = 0; each < entries.length; each++) {
            L list = entries[each] == null ? null : listOf(entry(each));
            out.name(list == null ? null : name(list));
        }
        out.variable();
        lists.values().forEach(list -> out.monitor(owner(list), depth(list)));
        out.variable();
        for (Object entry : entries) {
            out.monitor(entry == null ? 0 : owner(entry), entry == null ? 0 : depth(entry));
        }
        out.variable();
        tasks.values().forEach(task -> out.monitor(owner(task), depth(task)));
        out.variable();
        tasks.values().forEach(task -> out.name(nameOf(pointer(task))));
        out.variable().number(counter.get());
    }
}
