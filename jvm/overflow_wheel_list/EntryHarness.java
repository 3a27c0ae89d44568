package org.apache.kafka.server.util.timer;

import java.util.concurrent.atomic.AtomicInteger;
import wheelproof.jvm.Scenario;
import wheelproof.jvm.Shared;

/** A scenario of the volatile fields of one entry: e of task x, in the list l or in none. */
final class EntryHarness extends MemoryHarness {
    /** A task that does nothing. */
    static final class Task extends TimerTask {
        Task() {
            super(0);
        }

        @Override
        public void run() { }
    }

    private final AtomicInteger counter = new AtomicInteger();
    private final AtomicInteger submitted = new AtomicInteger();
    private final TimerTaskList list = new TimerTaskList(counter);
    private final Task task = new Task();
    private final TimerTaskEntry entry = new TimerTaskEntry(task, 1);
    private final transient int users;

    EntryHarness(Scenario scenario) {
        super(scenario);
        users = (int) scenario.threads().stream().filter(name -> !name.contains(".")).count();
    }

    @Override
    public Object perform(String[] operation) {
        switch (operation[0]) {
            case "add" -> list.add(entry);
            case "cancel" -> task.cancel();
            case "check" -> check();
            case "memory" -> memory(operation[1], operation[2]);
            default -> throw new IllegalArgumentException(operation[0]);
        }
        return null;
    }

    /** To the executor, unless cancelled: what a timer does with an entry that is due. */
    private void check() {
        if (!entry.cancelled()) {
            submitted.incrementAndGet();
        }
    }

    @Override
    String field(String name) {
        return name.equals("timer_task_entry") ? "timerTaskEntry" : name;
    }

    @Override
    String nameOf(Object object) {
        if (object instanceof String field) {
            return field.equals("timerTaskEntry") ? "timer_task_entry" : field;
        }
        return name(object);
    }

    @Override
    String lock(Object object) {
        if (object == counter || object == submitted) {
            return object == counter ? "counter" : "submitted";
        }
        return object == list ? "bucket" : object == entry ? "entry" : "task";
    }

    @Override
    public String name(Object object) {
        return object == list ? "l" : object == entry ? "e" : object == task ? "x" : null;
    }

    @Override
    public void shared(Shared out) {
        buffer(out);
        out.variable().name(null);
        out.variable();
        out.variable().name(name(entry.list));
        out.variable().name(name(task.getTimerTaskEntry()));
        out.variable().monitor(0, 0);
        for (Object lock : new Object[] {list, entry, task}) {
            out.monitor(owner(lock), depth(lock));
        }
        out.variable().number(0);
        out.variable().number(counter.get());
        out.variable().number(submitted.get());
        for (int found = 0; found < 2; found++) {
            out.variable();
            for (int user = 0; user < users; user++) {
                out.name(null);
            }
        }
    }
}
