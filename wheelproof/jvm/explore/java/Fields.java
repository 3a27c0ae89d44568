package wheelproof.explore;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import sun.misc.Unsafe;

/** Fields of objects by name and by offset. */
final class Fields {
    static final Unsafe UNSAFE = unsafe();
    private static final Map<Class<?>, Map<Long, Field>> BY_OFFSET = new ConcurrentHashMap<>();

    private Fields() { }

    private static Unsafe unsafe() {
        try {
            Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (Unsafe) field.get(null);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    /** The offset of a field that the class named, or one above it, declares. */
    static long offset(Class<?> type, String owner, String name) {
        Class<?> at = type;
        while (at != null && !at.getName().equals(owner)) {
            at = at.getSuperclass();
        }
        for (; at != null; at = at.getSuperclass()) {
            try {
                return UNSAFE.objectFieldOffset(at.getDeclaredField(name));
            } catch (NoSuchFieldException above) {
                // a class above declares it
            }
        }
        throw new NoSuchFieldError(type + " has no field " + owner + "." + name);
    }

    /** The static field that the class, or one above it, declares. */
    static Field constant(Class<?> type, String name) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                if (field.getName().equals(name) && Modifier.isStatic(field.getModifiers())) {
                    return field;
                }
            }
        }
        throw new NoSuchFieldError(type + " has no static field " + name);
    }

    /** The field at an offset; null where there is none, as in an array. */
    static Field at(Class<?> type, long offset) {
        return BY_OFFSET.computeIfAbsent(type, Fields::offsets).get(offset);
    }

    private static Map<Long, Field> offsets(Class<?> type) {
        Map<Long, Field> all = new ConcurrentHashMap<>();
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) && !at.isHidden() && !at.isRecord()) {
                    all.putIfAbsent(UNSAFE.objectFieldOffset(field), field);
                }
            }
        }
        return all;
    }

    /** What a number in a field of the JDK's classes is, such as a handle's offset. */
    static Object hidden(Object object, String name) {
        for (Class<?> at = object.getClass(); at != null; at = at.getSuperclass()) {
            try {
                Field field = at.getDeclaredField(name);
                field.setAccessible(true);
                return field.get(object);
            } catch (NoSuchFieldException above) {
                // a class above declares it
            } catch (IllegalAccessException error) {
                throw new IllegalStateException(error);
            }
        }
        throw new NoSuchFieldError(object.getClass() + " has no field " + name);
    }
}
