package wheelproof.jvm;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;

/** The object that a ReentrantReadWriteLock and its two halves share. */
final class ReadWriteLocks {
    private static final Map<Class<?>, Field> FIELDS = new HashMap<>();

    private ReadWriteLocks() { }

    static Object sync(Object lockOrHalf) {
        try {
            return FIELDS.computeIfAbsent(lockOrHalf.getClass(), ReadWriteLocks::field)
                    .get(lockOrHalf);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    private static Field field(Class<?> type) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            try {
                Field field = each.getDeclaredField("sync");
                field.setAccessible(true);
                return field;
            } catch (NoSuchFieldException next) {
                // a superclass has it
            }
        }
        throw new IllegalStateException(type + " has no field sync");
    }
}
