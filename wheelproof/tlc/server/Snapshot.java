package wheelproof.tlc;

import java.lang.ref.Reference;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The static fields of classes, and every field and element that can be reached from them. */
final class Snapshot {
    private static final Set<String> OPEN =
            Set.of(
                    "java.io",
                    "java.lang",
                    "java.text",
                    "java.util",
                    "java.util.concurrent",
                    "java.util.concurrent.atomic",
                    "java.util.concurrent.locks");

    private static final class Kept {
        final Object owner;
        final Field field;
        final Object value;

        Kept(Object owner, Field field, Object value) {
            this.owner = owner;
            this.field = field;
            this.value = value;
        }
    }

    private final List<Kept> fields = new ArrayList<>();
    private final Map<Object, Object> arrays = new IdentityHashMap<>();
    private final Map<Object, Object> seen = new IdentityHashMap<>();
    private final Deque<Object> waiting = new ArrayDeque<>();
    private final Map<Class<?>, List<Field>> fieldsOf = new HashMap<>();

    /** Record the present contents; throws InaccessibleObjectException where Java hides a field. */
    Snapshot(List<Class<?>> classes) {
        try {
            for (Class<?> type : classes) {
                for (Field field : declared(type, true)) {
                    keep(null, field);
                }
            }
            while (!waiting.isEmpty()) {
                visit(waiting.remove());
            }
        } catch (IllegalAccessException refused) {
            throw new AssertionError(refused);
        }
        seen.clear();
        fieldsOf.clear();
    }

    /** Write everything back. */
    void restore() {
        try {
            for (Kept each : fields) {
                each.field.set(each.owner, each.value);
            }
        } catch (IllegalAccessException refused) {
            throw new AssertionError(refused);
        }
        arrays.forEach((array, copy) -> System.arraycopy(copy, 0, array, 0, Array.getLength(copy)));
    }

    private void visit(Object object) throws IllegalAccessException {
        Class<?> type = object.getClass();
        if (type.isArray()) {
            int length = Array.getLength(object);
            Object copy = Array.newInstance(type.getComponentType(), length);
            System.arraycopy(object, 0, copy, 0, length);
            arrays.put(object, copy);
            if (object instanceof Object[]) {
                for (Object element : (Object[]) object) {
                    reach(element);
                }
            }
            return;
        }
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            if (hidden(each)) {
                continue;
            }
            for (Field field : fieldsOf.computeIfAbsent(each, of -> declared(of, false))) {
                keep(object, field);
            }
        }
    }

    private void keep(Object owner, Field field) throws IllegalAccessException {
        Object value = field.get(owner);
        if (!Modifier.isFinal(field.getModifiers())) {
            fields.add(new Kept(owner, field, value));
        }
        if (!field.getType().isPrimitive()) {
            reach(value);
        }
    }

    private void reach(Object value) {
        if (value != null && !constant(value) && seen.put(value, value) == null) {
            waiting.add(value);
        }
    }

    /** Objects that have no contents of their own, or that belong to the JVM. */
    private static boolean constant(Object value) {
        return value instanceof String
                || value instanceof Number && value.getClass().getName().startsWith("java.lang.")
                || value instanceof Boolean
                || value instanceof Character
                || value instanceof Class
                || value instanceof ClassLoader
                || value instanceof Thread
                || value instanceof ThreadGroup
                || value instanceof ThreadLocal
                || value instanceof Reference
                || value instanceof AccessibleObject
                || value instanceof java.io.OutputStream
                || value instanceof java.io.InputStream
                || hidden(value.getClass());
    }

    /** Whether a class is the JVM's own, and not one of its plain containers. */
    private static boolean hidden(Class<?> type) {
        String name = type.getPackageName();
        return type.getModule().isNamed() && !OPEN.contains(name);
    }

    private static List<Field> declared(Class<?> type, boolean ofClass) {
        List<Field> found = new ArrayList<>();
        for (Field field : type.getDeclaredFields()) {
            int modifiers = field.getModifiers();
            boolean unchanging = Modifier.isFinal(modifiers) && field.getType().isPrimitive();
            if (Modifier.isStatic(modifiers) == ofClass && !unchanging) {
                field.setAccessible(true);
                found.add(field);
            }
        }
        return found;
    }
}
