package org.apache.kafka.server.util.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import subject.ListHarness;
import wheelproof.jvm.Scenario;

/** The harness with the lists, entries and tasks of this package. */
final class TimerTaskListHarness extends ListHarness<TimerTaskList, TimerTaskEntry, TimerTask> {
    private static final VarHandle ROOT = handle(TimerTaskList.class, "root", TimerTaskEntry.class);
    private static final VarHandle POINTER =
            handle(TimerTask.class, "timerTaskEntry", TimerTaskEntry.class);

    /** A task that does nothing. */
    static final class Task extends TimerTask {
        Task() {
            super(1);
        }

        @Override
        public void run() { }
    }

    TimerTaskListHarness(Scenario scenario) {
        super(scenario);
    }

    private static VarHandle handle(Class<?> type, String field, Class<?> of) {
        try {
            return MethodHandles.privateLookupIn(type, MethodHandles.lookup())
                    .findVarHandle(type, field, of);
        } catch (ReflectiveOperationException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    @Override
    protected TimerTaskList list() {
        return new TimerTaskList(counter);
    }

    @Override
    protected TimerTask task() {
        return new Task();
    }

    @Override
    protected TimerTaskEntry make(TimerTask task, int number) {
        return new TimerTaskEntry(task, number);
    }

    @Override
    protected void add(TimerTaskList list, TimerTaskEntry entry) {
        list.add(entry);
    }

    @Override
    protected void remove(TimerTaskEntry entry) {
        entry.remove();
    }

    @Override
    protected void cancel(TimerTask task) {
        task.cancel();
    }

    @Override
    protected void flush(TimerTaskList from, TimerTaskList to) {
        from.flush(entry -> requeue(entry, to));
    }

    @Override
    protected boolean cancelled(TimerTaskEntry entry) {
        return entry.cancelled();
    }

    @Override
    protected TimerTaskEntry entryOf(Object object) {
        return object instanceof TimerTaskEntry entry ? entry : null;
    }

    @Override
    protected boolean isRoot(TimerTaskEntry entry) {
        return entry.timerTask == null;
    }

    @Override
    protected int number(TimerTaskEntry entry) {
        return (int) entry.expirationMs;
    }

    @Override
    protected TimerTaskEntry root(TimerTaskList list) {
        return (TimerTaskEntry) ROOT.get(list);
    }

    @Override
    protected TimerTaskEntry next(TimerTaskEntry entry) {
        return entry.next;
    }

    @Override
    protected TimerTaskEntry previous(TimerTaskEntry entry) {
        return entry.prev;
    }

    @Override
    protected TimerTaskList listOf(TimerTaskEntry entry) {
        return entry.list;
    }

    @Override
    protected TimerTaskEntry pointer(TimerTask task) {
        return (TimerTaskEntry) POINTER.getVolatile(task);
    }
}
