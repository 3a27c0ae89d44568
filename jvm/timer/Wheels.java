package subject;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import wheelproof.jvm.Shared;

/**
 * The levels of a timing wheel and their buckets, which have numbers level by level from 1. Fields
 * are read by their names, which Scala's classes and Java's share but for the clock's.
 */
public final class Wheels {
    private static final Map<Class<?>, Map<String, Field>> FIELDS = new HashMap<>();

    private final List<Object> levels = new ArrayList<>();
    private final List<Object> buckets = new ArrayList<>();
    private final Map<Object, Integer> numbers = new IdentityHashMap<>();

    /** The levels that there are. */
    public Wheels(Object lowest) {
        for (Object level = lowest; level != null; level = get(level, "overflowWheel")) {
            levels.add(level);
            for (Object bucket : (Object[]) get(level, "buckets")) {
                buckets.add(bucket);
                numbers.put(bucket, buckets.size());
            }
        }
    }

    /** A field of one of these names, in the object's class or a superclass. */
    private static Field field(Object object, String... names) {
        return FIELDS.computeIfAbsent(object.getClass(), type -> new HashMap<>())
                .computeIfAbsent(names[0], first -> find(object.getClass(), names));
    }

    private static Field find(Class<?> type, String... names) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (List.of(names).contains(field.getName())) {
                    field.setAccessible(true);
                    return field;
                }
            }
        }
        throw new IllegalStateException(type + " has no field " + String.join(" or ", names));
    }

    /** The value of a field. */
    public static Object get(Object object, String... names) {
        try {
            return field(object, names).get(object);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Gives a field, which may be final, another value. */
    public static void set(Object object, String name, Object value) {
        try {
            field(object, name).set(object, value);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Makes levels until there are so many. */
    public static void make(Object lowest, int count) {
        try {
            Method method = lowest.getClass().getDeclaredMethod("addOverflowWheel");
            method.setAccessible(true);
            Object level = lowest;
            for (int made = 1; made < count; made++) {
                method.invoke(level);
                level = get(level, "overflowWheel");
            }
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    public List<Object> levels() {
        return levels;
    }

    public List<Object> buckets() {
        return buckets;
    }

    /** The number of a bucket; null for another object. */
    public Integer number(Object bucket) {
        return numbers.get(bucket);
    }

    public static long key(Object bucket) {
        return ((AtomicLong) get(bucket, "expiration")).get();
    }

    /** The level's clock. */
    public static long clock(Object level) {
        return (Long) get(level, "currentTimeMs", "currentTime");
    }

    /** The list that an entry is in; null where it is in none. */
    public static Object list(Object entry) {
        return get(entry, "list");
    }

    /** The names of a bucket's entries. */
    public static List<String> content(Object bucket, Function<Object, String> name) {
        List<String> names = new ArrayList<>();
        Object root = get(bucket, "root");
        for (Object entry = get(root, "next"); entry != root; entry = get(entry, "next")) {
            names.add(name.apply(entry));
        }
        return names;
    }

    /** The buckets in the queue, in the order of its heap. */
    public void queued(Shared out, DelayQueue<?> queue) {
        Object[] heap = queue.toArray();
        out.tuple(heap.length);
        for (Object bucket : heap) {
            out.number(number(bucket));
        }
    }
}
