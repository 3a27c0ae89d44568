import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.util.Map;

/** Calls of classes that differ between releases: looked up by name and arguments. */
final class Released {
    private static final Map<Class<?>, Class<?>> BOXED =
        Map.of(int.class, Integer.class, boolean.class, Boolean.class, long.class, Long.class);

    private Released() {
    }

    static Object made(String name, Object... arguments) throws Exception {
        for (Constructor<?> each : Class.forName(name).getConstructors()) {
            if (takes(each, arguments)) {
                return each.newInstance(arguments);
            }
        }
        throw new NoSuchMethodException("a constructor of " + name);
    }

    /** Calls a static method of a class that is given by name, or a method of an object. */
    static Object call(Object of, String name, Object... arguments) throws Exception {
        Class<?> owner = of instanceof String ? Class.forName((String) of) : of.getClass();
        for (Method each : owner.getMethods()) {
            if (each.getName().equals(name) && takes(each, arguments)) {
                return each.invoke(of, arguments);
            }
        }
        throw new NoSuchMethodException(owner.getName() + "." + name);
    }

    static boolean has(String owner, String name, int parameters) throws Exception {
        for (Method each : Class.forName(owner).getMethods()) {
            if (each.getName().equals(name) && each.getParameterCount() == parameters) {
                return true;
            }
        }
        return false;
    }

    private static boolean takes(Executable each, Object[] arguments) {
        Class<?>[] types = each.getParameterTypes();
        if (types.length != arguments.length) {
            return false;
        }
        for (int place = 0; place < types.length; place++) {
            if (!BOXED.getOrDefault(types[place], types[place]).isInstance(arguments[place])) {
                return false;
            }
        }
        return true;
    }
}
