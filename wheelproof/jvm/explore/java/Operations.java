package wheelproof.explore;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The operations of a class, each with arguments of a few values, so that calls meet. */
final class Operations {
    /** Constants of an enum. */
    private static final int MOST = 2;
    private static final String OBSERVE = "observe";
    private static final Map<Class<?>, List<Object>> VALUES = Map.of(
            int.class, List.of(0, 1), Integer.class, List.of(0, 1), Object.class, List.of(0, 1),
            long.class, List.of(0L, 1L), Long.class, List.of(0L, 1L),
            double.class, List.of(0.0, 1.0), boolean.class, List.of(true, false),
            Boolean.class, List.of(true, false),
            String.class, List.of("a", "b"));

    /** A call. Its text names it in programs. */
    record Call(Method method, Object[] arguments) {
        String text() {
            String text = Arrays.toString(arguments);
            return method.getName() + "(" + text.substring(1, text.length() - 1) + ")";
        }
    }

    final List<Call> calls = new ArrayList<>();
    /** What is compared of the object in the end; null for nothing. */
    final Method observe;

    Operations(Class<?> type) {
        observe = Program.optional(type, OBSERVE);
        Method[] methods = type.getDeclaredMethods();
        Arrays.sort(methods, Comparator.comparing(method -> method.getName()
                + Arrays.toString(method.getParameterTypes())));
        for (Method method : methods) {
            int left = Modifier.PRIVATE | Modifier.STATIC;
            if ((method.getModifiers() & left) == 0 && !method.isSynthetic()
                    && !method.getName().equals(OBSERVE)
                    && !method.getName().startsWith(Instrumenter.ADDED)) {
                method.setAccessible(true);
                add(method, new Object[method.getParameterCount()], 0);
            }
        }
        if (calls.isEmpty()) {
            throw new IllegalArgumentException(type.getName()
                    + " has no method run() without arguments, and no operations");
        }
    }

    private void add(Method method, Object[] arguments, int at) {
        if (at == arguments.length) {
            Call call = new Call(method, arguments.clone());
            if (calls.stream().anyMatch(other -> other.text().equals(call.text()))) {
                throw new IllegalArgumentException("two operations read as " + call.text());
            }
            calls.add(call);
            return;
        }
        Class<?> type = method.getParameterTypes()[at];
        List<?> values = type.isEnum()
                ? Arrays.stream(type.getEnumConstants()).limit(MOST).toList()
                : VALUES.getOrDefault(type, List.of());
        if (values.isEmpty()) {
            throw new IllegalArgumentException("the operation " + method.getName()
                    + " takes a " + type.getName() + ", of which no values are drawn");
        }
        for (Object value : values) {
            arguments[at] = value;
            add(method, arguments, at + 1);
        }
    }

    Call named(String text) {
        return calls.stream().filter(call -> call.text().equals(text)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no operation " + text + " any more"));
    }
}
