package kafka.utils.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.WeakHashMap;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;
import subject.ListHarness;
import wheelproof.jvm.Scenario;

/**
 * The harness with the lists, entries and tasks of Kafka 0.9. A task has its deadline, and an entry
 * has none: an entry is known by the thread that makes it.
 */
final class TimerTaskListHarness extends ListHarness<TimerTaskList, TimerTaskEntry, TimerTask> {
    private static final VarHandle ROOT = handle(TimerTaskList.class, "root", TimerTaskEntry.class);
    private static final VarHandle TASK =
            handle(TimerTaskEntry.class, "timerTask", TimerTask.class);
    private static final VarHandle NEXT =
            handle(TimerTaskEntry.class, "next", TimerTaskEntry.class);
    private static final VarHandle PREVIOUS =
            handle(TimerTaskEntry.class, "prev", TimerTaskEntry.class);
    private static final VarHandle LIST =
            handle(TimerTaskEntry.class, "list", TimerTaskList.class);

    /** A task that does nothing. */
    static final class Task implements TimerTask {
        // the trait's private variable: scalac puts it into each class, and it is not volatile
        private TimerTaskEntry kafka$utils$timer$TimerTask$$timerTaskEntry;

        @Override
        public long expirationMs() {
            return 1;
        }

        // what scalac 2.11 puts into each class: calls of the trait's methods
        @Override
        public void cancel() {
            TimerTask$class.cancel(this);
        }

        @Override
        public void setTimerTaskEntry(TimerTaskEntry entry) {
            note(entry);
            TimerTask$class.setTimerTaskEntry(this, entry);
        }

        @Override
        public TimerTaskEntry getTimerTaskEntry() {
            return TimerTask$class.getTimerTaskEntry(this);
        }

        @Override
        public TimerTaskEntry kafka$utils$timer$TimerTask$$timerTaskEntry() {
            return kafka$utils$timer$TimerTask$$timerTaskEntry;
        }

        @Override
        public void kafka$utils$timer$TimerTask$$timerTaskEntry_$eq(TimerTaskEntry entry) {
            kafka$utils$timer$TimerTask$$timerTaskEntry = entry;
        }

        @Override
        public void run() { }
    }

    private static final VarHandle POINTER = handle(Task.class,
            "kafka$utils$timer$TimerTask$$timerTaskEntry", TimerTaskEntry.class);

    /** The number of the entry that a thread makes. */
    private static final ThreadLocal<Integer> MAKING = new ThreadLocal<>();
    private static final Map<TimerTaskEntry, Integer> NUMBERS = new WeakHashMap<>();

    /** Each entry's first call gives it to its task: it gets its number there. */
    static void note(TimerTaskEntry entry) {
        NUMBERS.putIfAbsent(entry, MAKING.get());
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
        MAKING.set(number);
        return new TimerTaskEntry(task);
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
        from.flush(new AbstractFunction1<TimerTaskEntry, BoxedUnit>() {
            @Override
            public BoxedUnit apply(TimerTaskEntry entry) {
                requeue(entry, to);
                return BoxedUnit.UNIT;
            }
        });
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
        return TASK.get(entry) == null;
    }

    @Override
    protected int number(TimerTaskEntry entry) {
        return NUMBERS.get(entry);
    }

    @Override
    protected TimerTaskEntry root(TimerTaskList list) {
        return (TimerTaskEntry) ROOT.get(list);
    }

    @Override
    protected TimerTaskEntry next(TimerTaskEntry entry) {
        return (TimerTaskEntry) NEXT.get(entry);
    }

    @Override
    protected TimerTaskEntry previous(TimerTaskEntry entry) {
        return (TimerTaskEntry) PREVIOUS.get(entry);
    }

    @Override
    protected TimerTaskList listOf(TimerTaskEntry entry) {
        return (TimerTaskList) LIST.getVolatile(entry);
    }

    @Override
    protected TimerTaskEntry pointer(TimerTask task) {
        return (TimerTaskEntry) POINTER.get((Task) task);
    }
}
