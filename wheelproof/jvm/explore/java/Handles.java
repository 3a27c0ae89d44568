package wheelproof.explore;

import java.lang.invoke.VarHandle;

/** What handles of variables and updaters of fields access. */
final class Handles {
    private Handles() { }

    /**
     * {@code base}: of a static field, the object that holds it. {@code isElement}: the offset is
     * that of an index.
     */
    record Kind(Object base, long offset, boolean isElement) { }

    /** Null where it is not known. */
    static Kind kind(Object handle) {
        if (!(handle instanceof VarHandle known)) {
            return new Kind(null, number(handle, "offset"), false);
        }
        String name = handle.getClass().getSimpleName();
        return switch (known.coordinateTypes().size()) {
            case 0 -> name.startsWith("Field")
                    ? new Kind(Fields.hidden(handle, "base"), number(handle, "fieldOffset"), false)
                    : null;
            case 1 -> name.startsWith("Field")
                    ? new Kind(null, number(handle, "fieldOffset"), false) : null;
            default -> array(handle, name);
        };
    }

    private static Kind array(Object handle, String name) {
        boolean isView = handle.getClass().getName().contains("ByteArrayAs");
        if (isView) {
            return new Kind(null, Places.WHOLE, false); // of bytes, as longer numbers
        }
        return name.startsWith("Array") ? new Kind(null, 0, true) : null;
    }

    private static long number(Object handle, String field) {
        return ((Number) Fields.hidden(handle, field)).longValue();
    }
}
