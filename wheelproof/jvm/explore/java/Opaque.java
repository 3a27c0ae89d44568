package wheelproof.explore;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.CharArrayWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.Buffer;
import java.security.MessageDigest;
import java.security.Signature;
import java.text.BreakIterator;
import java.text.CharacterIterator;
import java.text.Format;
import java.util.BitSet;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.Formatter;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Random;
import java.util.Scanner;
import java.util.Set;
import java.util.StringJoiner;
import java.util.StringTokenizer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.zip.Checksum;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import javax.crypto.Cipher;
import javax.crypto.Mac;

/** Objects of the JDK into whose code no steps are put: each call of one is one step. */
final class Opaque {
    private static final Set<String> FIXED = Set.of("java.util.ImmutableCollections",
            "java.util.Collections");
    private static final Set<Class<?>> STATEFUL = Set.of(Collection.class, Map.class,
            Iterator.class, Map.Entry.class, BitSet.class, StringBuilder.class, Format.class,
            Buffer.class, Matcher.class, Scanner.class, StringJoiner.class, StringTokenizer.class,
            Calendar.class, Date.class, Formatter.class, MessageDigest.class, Signature.class,
            Mac.class, Cipher.class, Checksum.class, CharacterIterator.class,
            BreakIterator.class);
    /** Each call of an object of these classes takes a lock, or is atomic. */
    private static final Set<Class<?>> SYNCHRONIZED = Set.of(StringBuffer.class, Random.class,
            ByteArrayOutputStream.class, ByteArrayInputStream.class, StringWriter.class,
            CharArrayWriter.class, PrintWriter.class, PrintStream.class, Deflater.class,
            Inflater.class);
    private static final Map<String, Boolean> NAMED = new ConcurrentHashMap<>();
    private static final ClassValue<Boolean> IS_ONE = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            boolean holds = STATEFUL.stream().anyMatch(above -> above.isAssignableFrom(type));
            return holds && type.getClassLoader() == null
                    && !FIXED.contains(outer(type.getName())) || isSynchronized(type);
        }
    };
    private static final IdentityHashMap<Object, Object> VIEWS = new IdentityHashMap<>();
    /** Buffers, and the array or the buffer that has their elements. */
    private static final IdentityHashMap<Buffer, Object> CONTENTS = new IdentityHashMap<>();

    private Opaque() { }

    static void begin() {
        VIEWS.clear();
        CONTENTS.clear();
    }

    /** Whether objects of a class of this name are such objects. */
    static boolean isOne(String name) {
        return Mapping.isForeign(name) && NAMED.computeIfAbsent(name, Opaque::isOneOfTheJdk);
    }

    private static boolean isOneOfTheJdk(String name) {
        try {
            return IS_ONE.get(Class.forName(name.replace('/', '.'), false, null));
        } catch (ClassNotFoundException | LinkageError error) {
            return false;
        }
    }

    private static String outer(String name) {
        int at = name.indexOf('$');
        return at < 0 ? name : name.substring(0, at);
    }

    /** What a call of an object accesses; null where its code has steps or it has no state. */
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
        return IS_ONE.get(object.getClass()) && object != System.out && object != System.err
                ? object : null;
    }

    static void view(Object result, Object object) {
        if (result instanceof Buffer buffer) {
            if (buffer != object) {
                CONTENTS.put(buffer, object instanceof Buffer other ? contents(other) : object);
            }
            return;
        }
        if (object instanceof Buffer buffer) {
            if (result.getClass().isArray()) {
                CONTENTS.put(buffer, result);
            }
            return;
        }
        boolean sees = result instanceof Iterator
                || IS_ONE.get(result.getClass()) && result.getClass().isMemberClass();
        Object owner = sees ? owner(object) : null;
        if (owner != null) {
            VIEWS.put(result, owner);
        }
    }

    /** The array or the buffer that has a buffer's elements. */
    static Object contents(Buffer buffer) {
        return CONTENTS.getOrDefault(buffer, buffer);
    }

    static boolean isSynchronized(Object object) {
        return isSynchronized(object.getClass());
    }

    private static boolean isSynchronized(Class<?> type) {
        return type.getName().startsWith("java.util.Collections$Synchronized")
                || Hashtable.class.isAssignableFrom(type) || type.getClassLoader() == null
                && SYNCHRONIZED.stream().anyMatch(above -> above.isAssignableFrom(type));
    }
}
