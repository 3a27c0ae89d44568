package wheelproof.jvm;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/**
 * The whole state as bytes: all threads' frames, then every object that can be reached from them
 * and from the harness. Objects have numbers in the order in which they are met, so that two states
 * with the same bytes differ in no value and in no reference.
 */
final class StateReader {
    private enum Form { FIELDS, ARRAY, NUMBER, TRUTH, REFERENCE, ELEMENTS, ENTRIES, OPAQUE }

    private record Shape(int id, Form form, Field[] fields) { }

    /** Where a traversal of a collection of the JDK stands, which decides what it gives next. */
    private static final Set<String> TRAVERSALS = Set.of(
            "java.util.ArrayList$Itr",
            "java.util.TreeMap$Entry",
            "java.util.TreeMap$EntryIterator",
            "java.util.concurrent.CompletableFuture",
            "java.util.concurrent.CompletableFuture$AltResult",
            "java.util.concurrent.CompletableFuture$UniWhenComplete",
            "java.util.concurrent.ConcurrentHashMap$Node",
            "java.util.concurrent.ConcurrentHashMap$ValueSpliterator",
            "java.util.concurrent.ConcurrentLinkedQueue$Itr",
            "java.util.concurrent.ConcurrentLinkedQueue$Node");
    /** Streams, and what they have summed up so far. */
    private static final String STREAMS = "java.util.stream.";

    private final Set<String> read;
    private final Map<Class<?>, Shape> shapes = new HashMap<>();
    private final Map<Object, Integer> texts = new HashMap<>();
    private final Set<String> opaque = new TreeSet<>();
    private final IdentityHashMap<Object, Integer> numbers = new IdentityHashMap<>();
    private final List<Object> met = new ArrayList<>();
    private byte[] bytes = new byte[1024];
    private int length;
    private int locked;

    /** {@code read}: the classes whose fields are part of the state. */
    StateReader(Set<String> read) {
        this.read = read;
    }

    /** Classes that were met and of whose objects only the class is part of the state. */
    Set<String> opaque() {
        return opaque;
    }

    /** The state now. */
    byte[] read(Execution execution) {
        length = 0;
        locked = 0;
        numbers.clear();
        met.clear();
        value(execution.harness);
        for (Worker worker : execution.workers) {
            thread(worker);
        }
        if (execution.memory != null) {
            memory(execution);
        }
        for (int next = 0; next < met.size(); next++) {
            contents(met.get(next), execution.locks);
        }
        if (locked != execution.locks.size()) {
            throw new IllegalStateException("a lock is held that cannot be reached");
        }
        return Arrays.copyOf(bytes, length);
    }

    private void memory(Execution execution) {
        for (Worker worker : execution.workers) {
            value(worker.seen);
        }
        number(execution.memory.stores.size());
        for (Memory.Store store : execution.memory.stores) {
            number(store.owner().index);
            value(store.field().name());
            value(store.object());
            value(store.value());
            number(store.marks().size());
            for (Order.Key mark : store.marks()) {
                value(mark.object());
                value(mark.part() == null ? null : mark.part().toString());
            }
        }
    }

    private void thread(Worker worker) {
        if (worker.ended) {
            put(worker.failure == null ? 1 : 2);
            return;
        }
        put(3);
        number(worker.operation);
        number(worker.depth);
        for (int caller = 0; caller < worker.depth; caller++) {
            frame(worker.callers[caller], worker.callerValues[caller]);
        }
        frame(worker.at, worker.values);
    }

    private void frame(Site site, Object[] values) {
        number(site.id);
        for (Object value : values) {
            value(value);
        }
    }

    private void value(Object value) {
        if (value == null) {
            put(0);
        } else if (value instanceof Long || value instanceof Integer || value instanceof Short
                || value instanceof Byte) {
            put(1);
            number(((Number) value).longValue());
        } else if (value instanceof Number real) {
            put(2);
            number(Double.doubleToLongBits(real.doubleValue()));
        } else if (value instanceof Boolean truth) {
            put(truth ? 4 : 3);
        } else if (value instanceof String || value instanceof Enum<?>
                || value instanceof Character || value instanceof Class<?>) {
            put(5);
            number(texts.computeIfAbsent(value, text -> texts.size()));
        } else {
            put(6);
            Integer known = numbers.get(value);
            if (known == null) {
                known = met.size();
                numbers.put(value, known);
                met.add(value);
            }
            number(known);
        }
    }

    private void contents(Object object, LockTable locks) {
        Shape shape = shapes.computeIfAbsent(object.getClass(), this::shape);
        number(shape.id);
        LockTable.Entry entry = locks.size() == 0 ? null : heldAs(object, locks);
        if (entry == null) {
            put(0);
        } else {
            locked++;
            put(entry.owner == null ? 1 : entry.owner.index + 2);
            number(entry.depth);
            number(entry.readers);
        }
        switch (shape.form) {
            case FIELDS -> {
                for (Field field : shape.fields) {
                    value(get(field, object));
                }
            }
            case ARRAY -> {
                int size = Array.getLength(object);
                number(size);
                for (int index = 0; index < size; index++) {
                    value(Array.get(object, index));
                }
            }
            case NUMBER -> number(((Number) object).longValue());
            case TRUTH -> put(((AtomicBoolean) object).get() ? 1 : 0);
            case REFERENCE -> value(((AtomicReference<?>) object).get());
            case ELEMENTS -> {
                Object[] elements = ((Collection<?>) object).toArray();
                number(elements.length);
                for (Object element : elements) {
                    value(element);
                }
            }
            case ENTRIES -> {
                number(((Map<?, ?>) object).size());
                ((Map<?, ?>) object).forEach((key, item) -> {
                    value(key);
                    value(item);
                });
            }
            case OPAQUE -> { }
        }
    }

    /** A read/write lock's entry is written with the lock itself, not once more with its halves. */
    private static LockTable.Entry heldAs(Object object, LockTable locks) {
        boolean foreign = object instanceof Lock
            && !(object instanceof java.util.concurrent.locks.ReentrantLock);
        return foreign ? null : locks.held(object);
    }

    private Shape shape(Class<?> type) {
        Form form;
        if (type.isArray()) {
            form = Form.ARRAY;
        } else if (isWalked(type)) {
            form = Form.FIELDS;
        } else if (Number.class.isAssignableFrom(type) && type.getName().startsWith("java.util.")) {
            form = Form.NUMBER;
        } else if (type == AtomicBoolean.class) {
            form = Form.TRUTH;
        } else if (type == AtomicReference.class) {
            form = Form.REFERENCE;
        } else if (Collection.class.isAssignableFrom(type)) {
            form = Form.ELEMENTS;
        } else if (Map.class.isAssignableFrom(type)) {
            form = Form.ENTRIES;
        } else {
            form = Form.OPAQUE;
            boolean lock = Lock.class.isAssignableFrom(type)
                    || ReadWriteLock.class.isAssignableFrom(type);
            if (!lock && type != Object.class) {
                opaque.add(Proxy.isProxyClass(type)
                        ? type.getInterfaces()[0].getName() + " (proxy)" : type.getName());
            }
        }
        return new Shape(shapes.size(), form, form == Form.FIELDS ? fields(type) : new Field[0]);
    }

    /** The subject's and the harness's classes, the lambdas in them, traversals and streams. */
    private boolean isWalked(Class<?> type) {
        String name = type.getName();
        int lambda = name.indexOf("$$Lambda");
        return read.contains(lambda < 0 ? name : name.substring(0, lambda))
                || TRAVERSALS.contains(name) || name.startsWith(STREAMS);
    }

    private static Field[] fields(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        for (Class<?> each = type; each != Object.class; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if ((field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0) {
                    field.setAccessible(true);
                    fields.add(field);
                }
            }
        }
        return fields.toArray(new Field[0]);
    }

    private static Object get(Field field, Object object) {
        try {
            return field.get(object);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    private void number(long number) {
        long rest = number << 1 ^ number >> 63;
        while ((rest & ~0x7fL) != 0) {
            put((int) (rest & 0x7f | 0x80));
            rest >>>= 7;
        }
        put((int) rest);
    }

    private void put(int number) {
        if (length == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * length);
        }
        bytes[length++] = (byte) number;
    }
}
