package wheelproof.explore;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.Remapper;

/** Which classes are loaded with hooks, and under which names. */
final class Mapping extends Remapper {
    /** In front of the name of each copy of a class of java.util.concurrent. */
    static final String PREFIX = "wheelproof/jdk/";
    private static final String CONCURRENT = "java/util/concurrent/";
    private static final String LOCK = CONCURRENT + "locks/ReentrantLock";
    /** Names that end so are not copied: they hold no state, or know their caller's class. */
    private static final Set<String> SHARED = Set.of("Exception", "Error", "TimeUnit",
            "FieldUpdater", "LockSupport");
    /** Loggers order nothing that a program may rely on, and take part in no step. */
    private static final Set<String> LOGGERS = Set.of("org/slf4j/", "org/apache/log4j/",
            "org/apache/logging/", "ch/qos/logback/");

    private static final String COLLECTIONS = "java/util/";
    /** Collections for one thread, those that wrap them, and what sorts arrays. */
    private static final Set<String> SINGLE = Set.of("AbstractCollection", "AbstractList",
            "AbstractMap", "AbstractQueue", "AbstractSequentialList", "AbstractSet", "ArrayDeque",
            "ArrayList", "Arrays", "BitSet", "Collections", "ComparableTimSort",
            "DualPivotQuicksort", "HashMap", "HashSet", "LinkedHashMap", "LinkedHashSet",
            "LinkedList", "PriorityQueue", "Stack", "TimSort", "TreeMap", "TreeSet", "Vector");

    private final Map<String, Boolean> copied = new HashMap<>();
    private final boolean substitutes;

    /** {@code substitutes}: locks of the scheduler stand for those of java.util.concurrent. */
    Mapping(boolean substitutes) {
        this.substitutes = substitutes;
    }

    /** Whether a class is that of the tool or of the JDK, as it is. */
    static boolean isForeign(String name) {
        return name.startsWith("java/") || name.startsWith("jdk/") || name.startsWith("javax/")
                || name.startsWith("sun/") || name.startsWith("com/sun/")
                || name.startsWith("wheelproof/explore/");
    }

    static boolean isLogger(String name) {
        return LOGGERS.stream().anyMatch(name::startsWith);
    }

    /** The name that a class has in its jar, or in the JDK. */
    static String original(String name) {
        return name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name;
    }

    @Override
    public String map(String name) {
        if (substitutes && (name.equals(LOCK) || name.startsWith(LOCK + "$"))) {
            return "wheelproof/explore/ReentrantLock" + name.substring(LOCK.length());
        }
        return isCopied(name) ? PREFIX + name : name;
    }

    boolean isCopied(String name) {
        if (!name.startsWith(CONCURRENT) && !isCollection(name)) {
            return false;
        }
        int inner = name.indexOf('$');
        return copied.computeIfAbsent(inner < 0 ? name : name.substring(0, inner), this::copies);
    }

    private static boolean isCollection(String name) {
        return name.startsWith(COLLECTIONS) && SINGLE.contains(name.substring(COLLECTIONS.length())
                .split("\\$", 2)[0]);
    }

    private boolean copies(String name) {
        if (SHARED.stream().anyMatch(name::endsWith)) {
            return false;
        }
        if (name.endsWith("/CompletionStage")) {
            return true; // one of its methods returns a class that is copied
        }
        try (InputStream in = ClassLoader.getSystemResourceAsStream(name + ".class")) {
            return in != null && (new ClassReader(in).getAccess() & Opcodes.ACC_INTERFACE) == 0;
        } catch (IOException error) {
            return false;
        }
    }
}
