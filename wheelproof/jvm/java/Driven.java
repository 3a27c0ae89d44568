package wheelproof.jvm;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Drives an adapter by calls that come in, a line each, and answers each with a line of JSON.
 *
 * <p>A line is a list of words with tabs between them: {@code begin}, {@code state}, or the name of
 * a method; then arguments. A word of a value begins with its sort: {@code #1}, {@code "text},
 * {@code ?true}; {@code [2}, <code>{2</code> and {@code :2} are followed by two items, elements or
 * pairs. Values in answers are those of ITF.
 */
public final class Driven {
    private final Class<?> kind;
    private Object adapter;
    private String[] words;
    private int at;

    private Driven(Class<?> kind) {
        this.kind = kind;
    }

    public static void main(String[] names) throws Exception {
        PrintStream answers = System.out;
        System.setOut(System.err); // the program may print
        Driven driven = new Driven(kind(names[0]));
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            answers.write((Json.of(driven.answer(line)) + "\n").getBytes(StandardCharsets.UTF_8));
            answers.flush();
        }
    }

    private static Class<?> kind(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException error) {
            return null;
        }
    }

    private Map<String, Object> answer(String line) throws ReflectiveOperationException {
        if (kind == null) {
            return Map.of("refused", "the sources have no class of this name");
        }
        words = line.split("\t", -1);
        at = 1;
        List<Object> arguments = new ArrayList<>();
        while (at < words.length) {
            arguments.add(value());
        }
        try {
            return switch (words[0]) {
                case "methods" -> Map.of("methods", names());
                case "begin" -> begin(arguments);
                case "state" -> Map.of("state", itf(call("state", List.of())));
                default -> {
                    call(words[0], arguments);
                    yield Map.of();
                }
            };
        } catch (InvocationTargetException error) {
            return Map.of("raises", String.valueOf(error.getCause()));
        } catch (IllegalArgumentException | NoSuchMethodException error) {
            return Map.of("refused", String.valueOf(error.getMessage()));
        }
    }

    private Map<String, Object> begin(List<Object> values) throws ReflectiveOperationException {
        Constructor<?> constructor = kind.getDeclaredConstructor();
        constructor.setAccessible(true);
        adapter = constructor.newInstance();
        if (names().contains("start")) {
            call("start", values);
        }
        return Map.of();
    }

    private Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        for (Method method : kind.getMethods()) {
            names.add(method.getName());
        }
        for (Method method : kind.getDeclaredMethods()) {
            names.add(method.getName());
        }
        return names;
    }

    private Object call(String name, List<Object> values) throws ReflectiveOperationException {
        List<Method> methods = new ArrayList<>(Arrays.asList(kind.getDeclaredMethods()));
        methods.addAll(Arrays.asList(kind.getMethods()));
        for (Method method : methods) {
            if (method.getName().equals(name) && method.getParameterCount() == values.size()) {
                method.setAccessible(true);
                Object[] arguments = new Object[values.size()];
                for (int place = 0; place < arguments.length; place++) {
                    arguments[place] = fit(values.get(place), method.getParameterTypes()[place]);
                }
                return method.invoke(adapter, arguments);
            }
        }
        throw new NoSuchMethodException(name + " takes no " + values.size() + " arguments");
    }

    /** A value as a parameter takes it; a number has the parameter's width. */
    private static Object fit(Object value, Class<?> type) {
        if (!(value instanceof BigInteger number)) {
            return value;
        }
        if (type == int.class || type == Integer.class) {
            return number.intValueExact();
        }
        return type == BigInteger.class ? number : (Object) number.longValueExact();
    }

    // -- values

    private Object value() {
        String word = words[at++];
        String rest = word.substring(1);
        switch (word.charAt(0)) {
            case '#':
                return new BigInteger(rest);
            case '?':
                return Boolean.valueOf(rest);
            case '"':
                return rest;
            case ':':
                Map<Object, Object> map = new LinkedHashMap<>();
                for (int left = Integer.parseInt(rest); left > 0; left--) {
                    Object key = plain(value());
                    map.put(key, plain(value()));
                }
                return map;
            default:
                Collection<Object> items =
                        word.charAt(0) == '[' ? new ArrayList<>() : new LinkedHashSet<>();
                for (int left = Integer.parseInt(rest); left > 0; left--) {
                    items.add(plain(value()));
                }
                return items;
        }
    }

    /** A number within a collection: an Integer, or a Long where it is too large. */
    private static Object plain(Object value) {
        if (!(value instanceof BigInteger number)) {
            return value;
        }
        return number.bitLength() < Integer.SIZE ? (Object) number.intValueExact()
                : (Object) number.longValueExact();
    }

    private static Object itf(Object value) {
        if (value instanceof Map<?, ?> map) {
            boolean fields = map.keySet().stream().allMatch(String.class::isInstance);
            Map<Object, Object> record = new LinkedHashMap<>();
            List<Object> pairs = new ArrayList<>();
            map.forEach((key, item) -> {
                record.put(key, itf(item));
                pairs.add(List.of(itf(key), itf(item)));
            });
            return fields ? record : Map.of("#map", pairs);
        }
        if (value instanceof Object[] items) {
            return itf(Arrays.asList(items));
        }
        if (value instanceof Collection<?> items) {
            List<Object> elements = items.stream().map(Driven::itf).toList();
            return items instanceof Set<?> ? Map.of("#set", elements) : elements;
        }
        if (value instanceof Byte || value instanceof Short || value instanceof Integer
                || value instanceof Long || value instanceof BigInteger) {
            return Map.of("#bigint", value.toString());
        }
        if (value instanceof Boolean || value instanceof String) {
            return value;
        }
        if (value instanceof Enum<?> constant) {
            return constant.name();
        }
        String sort = value == null ? "null" : "an object of " + value.getClass().getName();
        throw new IllegalArgumentException("state() has " + sort + ", which is no TLA+ value");
    }
}
