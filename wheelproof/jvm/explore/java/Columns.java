package wheelproof.explore;

/** Places of the program as people read them: of the stack of a thread, and of a site. */
final class Columns {
    private Columns() { }

    /** Where a thread stands: its topmost frame that is not the JDK's or the tool's. */
    static StackTraceElement frame(Strand strand) {
        return frame(strand.carrier.getStackTrace());
    }

    static StackTraceElement frame(StackTraceElement[] stack) {
        StackTraceElement copy = null;
        for (StackTraceElement frame : stack) {
            String name = frame.getClassName();
            String path = name.replace('.', '/');
            if (path.startsWith(Mapping.PREFIX)) {
                copy = copy == null ? frame : copy;
            } else if (!Mapping.isForeign(path)
                    && !frame.getMethodName().startsWith(Instrumenter.ADDED)) {
                return frame;
            }
        }
        return copy;
    }

    /** A site's place: class, method and line. */
    static String place(Site site) {
        return Mapping.original(site.type).replace('/', '.') + "." + site.method + ":" + site.line;
    }

    /** The name of a class without its package, and without a copy's prefix. */
    static String simple(Class<?> type) {
        String name = type.getName();
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
