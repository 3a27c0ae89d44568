package wheelproof.explore;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;

/** Static fields as the initialisers of classes leave them, with which each run begins. */
final class Initial {
    private static final String ATOMIC = Mapping.PREFIX.replace('/', '.')
            + "java.util.concurrent.atomic.Atomic";
    private static final List<Value> VALUES = new ArrayList<>();
    private static final Set<String> CHANGING = new HashSet<>();

    private Initial() { }

    /** A field, of a class or of an atomic that a class holds, with its value. */
    private record Value(Object base, long offset, Class<?> type, Object value) {
        static Value of(Object base, long offset, Class<?> type) {
            Object value = null;
            if (type == int.class) {
                value = Fields.UNSAFE.getInt(base, offset);
            } else if (type == long.class) {
                value = Fields.UNSAFE.getLong(base, offset);
            } else if (type == boolean.class || type == byte.class) {
                value = Fields.UNSAFE.getByte(base, offset);
            } else if (type == double.class) {
                value = Fields.UNSAFE.getDouble(base, offset);
            } else if (type == float.class) {
                value = Fields.UNSAFE.getFloat(base, offset);
            } else if (type == short.class || type == char.class) {
                value = Fields.UNSAFE.getShort(base, offset);
            } else {
                value = Fields.UNSAFE.getObject(base, offset);
            }
            return new Value(base, offset, type, value);
        }

        void restore() {
            if (value instanceof Integer number && type == int.class) {
                Fields.UNSAFE.putInt(base, offset, number);
            } else if (value instanceof Long number && type == long.class) {
                Fields.UNSAFE.putLong(base, offset, number);
            } else if (value instanceof Byte number && type.isPrimitive()) {
                Fields.UNSAFE.putByte(base, offset, number);
            } else if (value instanceof Double number && type == double.class) {
                Fields.UNSAFE.putDouble(base, offset, number);
            } else if (value instanceof Float number && type == float.class) {
                Fields.UNSAFE.putFloat(base, offset, number);
            } else if (value instanceof Short number && type.isPrimitive()) {
                Fields.UNSAFE.putShort(base, offset, number);
            } else {
                Fields.UNSAFE.putObject(base, offset, value);
            }
        }
    }

    /** A class is loaded: whether it has static fields that a run can change. */
    static synchronized boolean changes(ClassNode type) {
        boolean changes = type.fields.stream().anyMatch(field ->
                (field.access & Opcodes.ACC_STATIC) != 0
                        && ((field.access & Opcodes.ACC_FINAL) == 0
                        || field.desc.startsWith("L" + ATOMIC.replace('.', '/'))));
        if (changes) {
            CHANGING.add(type.name.replace('/', '.'));
        }
        return changes;
    }

    /** A class has been initialised. */
    static synchronized void keep(Class<?> type) {
        Field[] fields = new Field[0];
        try {
            fields = CHANGING.contains(type.getName()) ? type.getDeclaredFields() : fields;
        } catch (NoClassDefFoundError absent) {
            // of the type of a field: code that uses it cannot run either
        }
        for (Field field : fields) {
            if (!Modifier.isStatic(field.getModifiers()) || type.isHidden()) {
                continue;
            }
            Object base = Fields.UNSAFE.staticFieldBase(field);
            long offset = Fields.UNSAFE.staticFieldOffset(field);
            if (!Modifier.isFinal(field.getModifiers())) {
                VALUES.add(Value.of(base, offset, field.getType()));
            } else if (field.getType().getName().startsWith(ATOMIC)) {
                keepAtomic(Fields.UNSAFE.getObject(base, offset));
            }
        }
    }

    private static void keepAtomic(Object atomic) {
        for (Field field : atomic == null ? new Field[0] : atomic.getClass().getDeclaredFields()) {
            if (field.getName().equals("value")) {
                long offset = Fields.UNSAFE.objectFieldOffset(field);
                VALUES.add(Value.of(atomic, offset, field.getType()));
            }
        }
    }

    /** A run begins. */
    static synchronized void restore() {
        VALUES.forEach(Value::restore);
    }
}
