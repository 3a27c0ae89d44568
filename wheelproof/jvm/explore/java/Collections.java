package wheelproof.explore;

import java.util.BitSet;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/** Collections of the JDK, into which no steps are put: each call is one step. */
final class Collections {
    private static final Set<String> FIXED = Set.of("java.util.ImmutableCollections",
            "java.util.Collections");
    private static final ClassValue<Boolean> IS_ONE = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            boolean holds = Collection.class.isAssignableFrom(type)
                    || Map.class.isAssignableFrom(type) || Iterator.class.isAssignableFrom(type)
                    || Map.Entry.class.isAssignableFrom(type) || type == BitSet.class;
            return holds && type.getClassLoader() == null
                    && !FIXED.contains(outer(type.getName())) || isSynchronized(type);
        }
    };
    private static final IdentityHashMap<Object, Object> VIEWS = new IdentityHashMap<>();

    private Collections() { }

    static void begin() {
        VIEWS.clear();
    }

    private static String outer(String name) {
        int at = name.indexOf('$');
        return at < 0 ? name : name.substring(0, at);
    }

    /** The collection that a call on an object accesses; null where steps are put into its code. */
    static Object owner(Object object) {
        Object owner = VIEWS.get(object);
        if (owner != null) {
            return owner;
        }
        boolean isMap = object instanceof Map;
        if (object.getClass().getName().startsWith("java.util.Collections$Unmodifiable")
                && (isMap || object instanceof Collection)) {
            return owner(Fields.hidden(object, isMap ? "m" : "c"));
        }
        return IS_ONE.get(object.getClass()) ? object : null;
    }

    static void view(Object result, Object object) {
        boolean sees = result instanceof Iterator
                || IS_ONE.get(result.getClass()) && result.getClass().isMemberClass();
        Object owner = sees ? owner(object) : null;
        if (owner != null) {
            VIEWS.put(result, owner);
        }
    }

    static boolean isSynchronized(Object object) {
        return isSynchronized(object.getClass());
    }

    /** Whether the class itself takes a monitor in each call. */
    private static boolean isSynchronized(Class<?> type) {
        return type.getName().startsWith("java.util.Collections$Synchronized")
                || java.util.Hashtable.class.isAssignableFrom(type);
    }
}
