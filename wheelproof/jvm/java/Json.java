package wheelproof.jvm;

import java.util.Map;

/** Plain values as JSON. */
public final class Json {
    private Json() { }

    public static String of(Object value) {
        if (value == null || value instanceof Boolean || value instanceof Number) {
            return String.valueOf(value);
        }
        if (value instanceof Map<?, ?> map) {
            StringBuilder text = new StringBuilder("{");
            map.forEach((key, item) -> text.append(text.length() == 1 ? "" : ",")
                    .append(of(String.valueOf(key))).append(":").append(of(item)));
            return text.append("}").toString();
        }
        if (value instanceof Iterable<?> items) {
            StringBuilder text = new StringBuilder("[");
            items.forEach(item -> text.append(text.length() == 1 ? "" : ",").append(of(item)));
            return text.append("]").toString();
        }
        if (value instanceof Object[] items) {
            return of(java.util.Arrays.asList(items));
        }
        return quoted(value.toString());
    }

    private static String quoted(String value) {
        StringBuilder text = new StringBuilder("\"");
        for (char each : value.toCharArray()) {
            if (each == '"' || each == '\\') {
                text.append('\\').append(each);
            } else if (each < 0x20) {
                text.append(String.format("\\u%04x", (int) each));
            } else {
                text.append(each);
            }
        }
        return text.append('"').toString();
    }
}
