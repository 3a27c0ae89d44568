package subject;

import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;

/** A delayed operation with work in it: a subclass of Kafka's class, in that class's package. */
public interface Worked {
    Work work();

    /** What checkAndComplete does with a watched operation. */
    boolean attempt();

    /** The timer's executor runs it. */
    void run();

    boolean forceComplete();

    /** The operation's own lock. */
    Lock guard();

    /** Whether a flag of the superclass is set, an atomic one or a field; false if it is absent. */
    default boolean flag(String name) {
        try {
            Field field = getClass().getSuperclass().getDeclaredField(name);
            field.setAccessible(true);
            Object value = field.get(this);
            return value instanceof AtomicBoolean atomic ? atomic.get() : (Boolean) value;
        } catch (NoSuchFieldException absent) {
            return false;
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }
}
