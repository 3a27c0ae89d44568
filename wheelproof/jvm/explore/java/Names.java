package wheelproof.explore;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;

/** Names of objects: the field that holds each, as it is found from the program's roots. */
final class Names {
    /** Objects that are looked at, at most. */
    private static final int MOST = 3_000;

    private final IdentityHashMap<Object, String> names = new IdentityHashMap<>();
    private final Map<String, Integer> used = new HashMap<>();
    private final Deque<Object> open = new ArrayDeque<>();

    /** {@code program}: the object that runs; its threads' tasks are roots, too. */
    Names(Object program, Execution execution) {
        root(program);
        for (int index = 0; index < execution.count; index++) {
            root(execution.strands[index].user);
        }
        while (!open.isEmpty() && names.size() < MOST) {
            look(open.poll());
        }
    }

    private void root(Object object) {
        if (object != null && names.put(object, Columns.simple(object.getClass())) == null) {
            open.add(object);
        }
    }

    private void look(Object holder) {
        if (holder instanceof Object[] items) {
            String name = names.get(holder);
            for (int index = 0; index < Math.min(items.length, 64); index++) {
                add(items[index], name + "[" + index + "]");
            }
            return;
        }
        for (Class<?> at = holder.getClass(); at != null && at != Thread.class;
                at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()
                        && !field.getName().startsWith(Instrumenter.ADDED)) {
                    String owner = Columns.simple(at).replaceFirst("\\$\\$Lambda.*", "lambda");
                    add(value(field, holder), owner + "." + field.getName());
                }
            }
        }
        if (holder instanceof Thread thread) {
            add(Fields.hidden(thread, "target"), "Runnable");
        }
    }

    private static Object value(Field field, Object holder) {
        try {
            field.setAccessible(true);
            return field.get(holder);
        } catch (ReflectiveOperationException | RuntimeException closed) {
            return null; // of a module that is not open
        }
    }

    private void add(Object object, String name) {
        if (object == null || names.containsKey(object) || object instanceof Class
                || object instanceof String || object instanceof Number) {
            return;
        }
        int number = used.merge(name, 1, Integer::sum);
        names.put(object, number == 1 ? name : name + " (" + number + ")");
        open.add(object);
    }

    /** The object's name: the field that holds it, else its class. */
    String of(Object object) {
        if (object == null) {
            return "";
        }
        String name = names.get(object);
        if (name != null) {
            return name;
        }
        return object instanceof Class<?> type ? type.getSimpleName()
                : Columns.simple(object.getClass());
    }
}
