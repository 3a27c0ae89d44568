package wheelproof.explore;

import java.lang.reflect.Array;
import java.nio.Buffer;

/** What code with hooks calls in front of accesses, and in the place of monitors. */
public final class Hooks {
    private static final Execution RUN = Execution.CURRENT;

    private Hooks() { }

    // accesses

    public static void field(Object object, int id) {
        Strand strand = Execution.me();
        if (strand != null && object != null) {
            Site site = Site.at(id);
            RUN.access(strand, object, site.offset(object), site);
        }
    }

    /** A static field by the class that the instruction names. */
    public static void constant(Class<?> type, int id) {
        Strand strand = Execution.me();
        if (strand != null) {
            Site site = Site.at(id);
            RUN.access(strand, site.base(type), site.offset(), site);
        }
    }

    public static void element(Object array, int index, int id) {
        Strand strand = Execution.me();
        if (strand != null && array != null) {
            RUN.access(strand, array, offset(array, index), Site.at(id));
        }
    }

    private static long offset(Object array, int index) {
        Class<?> type = array.getClass();
        return Fields.UNSAFE.arrayBaseOffset(type)
                + (long) index * Fields.UNSAFE.arrayIndexScale(type);
    }

    /** System.arraycopy: the elements are read, and then written, one after the other. */
    public static void copy(Object from, int first, Object to, int at, int count, int id) {
        Strand strand = Execution.me();
        if (strand == null || from == null || to == null || first < 0 || at < 0 || count < 0
                || count > Array.getLength(from) - first || count > Array.getLength(to) - at) {
            System.arraycopy(from, first, to, at, count);
            return;
        }
        Object elements = read(strand, from, first, count, Site.at(id).reading);
        for (int index = 0; index < count; index++) {
            RUN.access(strand, to, offset(to, at + index), Site.at(id));
            System.arraycopy(elements, index, to, at + index, 1);
        }
    }

    /** A copy of an array. */
    public static Object clone(Object array, int id) {
        return read(Execution.me(), array, 0, Array.getLength(array), Site.at(id).reading);
    }

    private static Object read(Strand strand, Object from, int first, int count, Site site) {
        Object elements = Array.newInstance(from.getClass().getComponentType(), count);
        for (int index = 0; index < count; index++) {
            if (strand != null) {
                RUN.access(strand, from, offset(from, first + index), site);
            }
            System.arraycopy(from, first + index, elements, index, 1);
        }
        return elements;
    }

    public static void unsafe(Object object, long offset, int id) {
        Strand strand = Execution.me();
        if (strand != null && object != null) {
            RUN.access(strand, object, offset, Site.at(id));
        }
    }

    /** A handle of a field, of a static field, or of an array's elements. */
    public static void handle(Object handle, Object object, int index, int id) {
        Strand strand = Execution.me();
        if (strand == null) {
            return;
        }
        Site site = Site.at(id);
        Handles.Kind kind = site.kind(handle);
        if (kind != null && kind.offset() == Places.WHOLE && object != null) {
            site.whole = true;
            RUN.elements(strand, object, site);
        } else if (kind == null) {
            throw RUN.stop(strand, refusal("a " + handle.getClass().getSimpleName(), site));
        } else if (kind.base() != null) {
            RUN.access(strand, kind.base(), kind.offset(), site);
        } else if (object != null) {
            RUN.access(strand, object, kind.isElement() ? offset(object, index) : kind.offset(),
                    site);
        }
    }

    public static void updater(Object updater, Object object, int id) {
        Strand strand = Execution.me();
        if (strand != null && object != null) {
            RUN.access(strand, object, Site.at(id).kind(updater).offset(), Site.at(id));
        }
    }

    /** A call of an object that steps are not put into: an access of the whole. */
    public static void whole(Object object, int id) {
        Strand strand = Execution.me();
        if (strand == null || object == null) {
            return;
        }
        Object owner = Opaque.owner(object);
        if (owner == null) {
            return;
        }
        Site site = Site.at(id);
        if (Opaque.isSynchronized(owner)) {
            Monitors.enter(strand, owner, site);
            Monitors.exit(strand, owner, site);
        } else {
            RUN.access(strand, owner, Places.WHOLE, site);
        }
    }

    /** A call of a buffer: an access of what it has, too. */
    public static void contents(Object object, int id) {
        Strand strand = Execution.me();
        if (strand == null || !(object instanceof Buffer buffer)) {
            return;
        }
        Object contents = Opaque.contents(buffer);
        if (contents.getClass().isArray()) {
            RUN.elements(strand, contents, Site.at(id));
        } else {
            RUN.access(strand, contents, Places.CONTENTS, Site.at(id));
        }
    }

    /** Code without hooks is given an array, by an object or, if that is null, by a class. */
    public static void given(Object object, Object array, int id) {
        Strand strand = Execution.me();
        boolean isSeen = object != null && object.getClass().getClassLoader() instanceof Loader;
        if (strand != null && array != null && Array.getLength(array) > 0 && !isSeen) {
            RUN.elements(strand, array, Site.at(id));
        }
    }

    public static void given(Object array, int id) {
        given(null, array, id);
    }

    /** A view or an iterator: a call of it is an access of the object that it is a view of. */
    public static void view(Object result, Object object) {
        if (Execution.me() != null && result != null && object != null) {
            Opaque.view(result, object);
        }
    }

    // monitors

    public static void enter(Object object, int id) {
        Strand strand = Execution.me();
        if (object == null) {
            throw new NullPointerException();
        }
        if (strand != null) {
            Monitors.enter(strand, object, Site.at(id));
        }
    }

    public static void exit(Object object, int id) {
        Strand strand = Execution.me();
        if (strand != null) {
            Monitors.exit(strand, object, Site.at(id));
        }
    }

    public static void waitFor(Object object, int id) throws InterruptedException {
        Monitors.await(running(id), object, object, false, 0, Site.at(id));
    }

    public static void waitFor(Object object, long millis, int id) throws InterruptedException {
        Monitors.await(running(id), object, object, millis > 0, Threads.nanos(millis), Site.at(id));
    }

    public static void waitFor(Object object, long millis, int nanos, int id)
            throws InterruptedException {
        long time = Threads.nanos(millis) + nanos;
        Monitors.await(running(id), object, object, time > 0, time, Site.at(id));
    }

    public static void notifyOne(Object object, int id) {
        Monitors.signal(running(id), object, object, false);
    }

    public static void notifyEvery(Object object, int id) {
        Monitors.signal(running(id), object, object, true);
    }

    public static boolean holds(Object object) {
        Strand strand = Execution.me();
        return strand != null && Places.of(object).monitor().owner == strand;
    }

    /** The strand of a call that means nothing outside of a run. */
    private static Strand running(int id) {
        Strand strand = Execution.me();
        if (strand == null) {
            throw new Refused(Site.at(id).verb, "a static initialiser: " + Site.at(id).key);
        }
        return strand;
    }

    // ends of runs, static initialisers, refusals

    /** A handler has caught something: an end of the run goes on through it. */
    public static void caught(Object raised) {
        if (raised instanceof Abort abort) {
            throw abort;
        }
    }

    /** A static initialiser begins: it is not interleaved. */
    public static void initialises(Class<?> type) {
        if (Thread.currentThread() instanceof Carrier carrier && carrier.strand != null) {
            carrier.strand.quiet++;
        }
    }

    public static void initialised(Class<?> type) {
        Initial.keep(type);
        if (Thread.currentThread() instanceof Carrier carrier && carrier.strand != null) {
            carrier.strand.quiet--;
        }
    }

    public static void refused(int id) {
        Strand strand = Execution.me();
        Site site = Site.at(id);
        if (strand == null) {
            throw new Refused(site.target, Columns.place(site));
        }
        throw RUN.stop(strand, refusal(site.target, site));
    }

    private static Result refusal(String construct, Site site) {
        return Result.of(Result.Ending.REFUSED,
                new Refused(construct, Columns.place(site)).getMessage());
    }

    /** Code without hooks is about to access an object's field by reflection. */
    public static void unseen(int id) {
        if (Execution.me() != null) {
            handles(id);
        }
    }

    /** A method handle of a field is made, by a static initialiser too. */
    public static void handles(int id) {
        if (RUN.unseen == null) {
            Site site = Site.at(id);
            RUN.unseen = Columns.place(site) + ": " + site.target + " is not looked into";
        }
    }

}
