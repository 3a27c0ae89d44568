package wheelproof.explore;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** An instruction that accesses what threads may share, or that lets a thread wait or move. */
final class Site {
    private static final List<Site> ALL = new ArrayList<>();
    private static final Map<String, Integer> USED = new HashMap<>();
    private static Site[] table = new Site[4096];

    final int id;
    /** Class, method, verb, target and ordinal among equal ones: it survives edits elsewhere. */
    final String key;
    /** The internal name of the class that has the instruction; empty for one of the runtime. */
    final String type;
    final String method;
    final int line;
    final String verb;
    final String target;
    final boolean write;
    /** Neither volatile nor atomic: two accesses that nothing orders are a data race. */
    final boolean plain;
    /** A call that writes only where it has met what it expects. */
    final boolean compares;
    /** Of a copy of the JDK's classes. */
    final boolean copied;
    /** The name of the class's source; null where the class file does not say it. */
    String file;
    /** A scheduling point. */
    boolean visible;
    /** Of a field access: the class that the instruction names, and the field's name. */
    String owner;
    String field;
    private Class<?> resolved;
    private Object base;
    private long offset;
    private Object handle;
    private Handles.Kind kind;

    /** A call of code into which no steps are put. */
    boolean whole;
    /** Of a call that copies elements of arrays: where it reads them. */
    Site reading;

    private Site(String type, String method, int line, String verb, String target, boolean write,
            boolean plain) {
        this.id = ALL.size();
        this.type = type;
        this.method = method;
        this.line = line;
        this.verb = verb;
        this.target = target;
        this.write = write;
        this.plain = plain;
        this.compares = target.contains("ompareAnd");
        this.copied = type.startsWith(Mapping.PREFIX);
        String name = simple(type) + "." + method + ":" + verb + " " + target;
        this.key = name + "#" + (USED.merge(name, 1, Integer::sum) - 1);
    }

    static synchronized Site add(String type, String method, int line, String verb, String target,
            boolean write, boolean plain) {
        Site site = new Site(type, method, line, verb, target, write, plain);
        ALL.add(site);
        if (site.id == table.length) {
            table = java.util.Arrays.copyOf(table, 2 * table.length);
        }
        table[site.id] = site;
        return site;
    }

    /** A site of the runtime itself, such as of a lock's substitute. */
    static int own(String verb, String target) {
        return add("", "", 0, verb, target, true, false).id;
    }

    static Site at(int id) {
        return table[id];
    }

    static List<Site> all() {
        return ALL;
    }

    static String simple(String type) {
        return type.substring(type.lastIndexOf('/') + 1);
    }

    /** The offset of the field in an object, as Unsafe and handles of variables have it. */
    long offset(Object object) {
        Class<?> type = object.getClass();
        if (type != resolved) {
            offset = Fields.offset(type, owner.replace('/', '.'), field);
            resolved = type;
        }
        return offset;
    }

    /** Of a static field: the object that holds it, and its offset there. */
    Object base(Class<?> type) {
        if (type != resolved) {
            Field declared = Fields.constant(type, field);
            resolved = type;
            base = Fields.UNSAFE.staticFieldBase(declared);
            offset = Fields.UNSAFE.staticFieldOffset(declared);
        }
        return base;
    }

    long offset() {
        return offset;
    }

    /** What a handle of variables or an updater of fields accesses; null if that is not known. */
    Handles.Kind kind(Object used) {
        if (used != handle) {
            kind = Handles.kind(used);
            handle = used;
        }
        return kind;
    }
}
