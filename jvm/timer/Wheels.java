package org.apache.kafka.server.util.timer;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.DelayQueue;
import java.util.function.Function;
import wheelproof.jvm.Shared;

/** The levels of a timing wheel and their buckets, which have numbers level by level from 1. */
final class Wheels {
    private static final Field BUCKETS = field(TimingWheel.class, "buckets");
    private static final Field OVERFLOW = field(TimingWheel.class, "overflowWheel");
    private static final Field CLOCK = field(TimingWheel.class, "currentTimeMs");
    private static final Field ROOT = field(TimerTaskList.class, "root");
    private static final Field POINTER = field(TimerTask.class, "timerTaskEntry");
    private static final Field DELAY = field(TimerTask.class, "delayMs");

    final List<TimingWheel> levels = new ArrayList<>();
    final List<TimerTaskList> buckets = new ArrayList<>();
    private final Map<TimerTaskList, Integer> numbers = new IdentityHashMap<>();

    /** The levels that there are. */
    Wheels(TimingWheel lowest) {
        for (TimingWheel level = lowest; level != null; level = above(level)) {
            levels.add(level);
            for (TimerTaskList bucket : (TimerTaskList[]) get(BUCKETS, level)) {
                buckets.add(bucket);
                numbers.put(bucket, buckets.size());
            }
        }
    }

    static Field field(Class<?> type, String name) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    static Object get(Field field, Object object) {
        try {
            return field.get(object);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    static void set(Field field, Object object, Object value) {
        try {
            field.set(object, value);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    static TimingWheel above(TimingWheel level) {
        return (TimingWheel) get(OVERFLOW, level);
    }

    /** Makes levels until there are so many. */
    static void make(TimingWheel lowest, int levels) {
        try {
            Method method = TimingWheel.class.getDeclaredMethod("addOverflowWheel");
            method.setAccessible(true);
            TimingWheel level = lowest;
            for (int made = 1; made < levels; made++) {
                method.invoke(level);
                level = above(level);
            }
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    static long clock(TimingWheel level) {
        return (Long) get(CLOCK, level);
    }

    static TimerTaskEntry entry(TimerTask task) {
        return (TimerTaskEntry) get(POINTER, task);
    }

    /** The delay that the task's next add has. */
    static void delay(TimerTask task, long milliseconds) {
        set(DELAY, task, milliseconds);
    }

    int number(TimerTaskList bucket) {
        return numbers.get(bucket);
    }

    /** Each bucket's entries, by their names. */
    void content(Shared out, Function<TimerTaskEntry, String> name) {
        for (TimerTaskList bucket : buckets) {
            List<String> names = new ArrayList<>();
            TimerTaskEntry root = (TimerTaskEntry) get(ROOT, bucket);
            for (TimerTaskEntry entry = root.next; entry != root; entry = entry.next) {
                names.add(name.apply(entry));
            }
            out.names(names);
        }
    }

    /** The buckets in the queue, in the order of its heap. */
    void queued(Shared out, DelayQueue<?> queue) {
        Object[] heap = queue.toArray();
        out.tuple(heap.length);
        for (Object bucket : heap) {
            out.number(number((TimerTaskList) bucket));
        }
    }
}
