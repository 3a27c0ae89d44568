package wheelproof.explore;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.MethodInsnNode;

/** Which calls are replaced by one of a hook, which get one in front, and which are refused. */
final class Calls implements Opcodes {
    private static final String HOOKS = "wheelproof/explore/Hooks";
    private static final String THREADS = "wheelproof/explore/Threads";
    private static final String THREAD = "java/lang/Thread";
    private static final String PARKING = "java/util/concurrent/locks/LockSupport";

    /** The static method that stands for a call; the receiver is its first argument. */
    record Hook(String owner, String name, String descriptor, String verb) {
        boolean hasSite() {
            return Type.getArgumentTypes(descriptor).length > 0
                    && descriptor.contains("I)") && !verb.isEmpty();
        }
    }

    /** The verb of calls that copy elements of arrays. */
    static final String COPY = "copy";
    private static final Set<String> UNSAFE = Set.of("sun/misc/Unsafe",
            "jdk/internal/misc/Unsafe");
    private static final Map<String, Hook> OF_OBJECTS = new HashMap<>();
    private static final Map<String, Hook> OF_THREADS = new HashMap<>();
    private static final Map<String, Hook> STATIC = new HashMap<>();
    private static final Map<String, String> REFUSED = new HashMap<>();
    private static final Set<String> READS = Set.of("get", "contains", "size", "isEmpty", "peek",
            "element", "first", "last", "iterator", "values", "keySet", "entrySet", "toString",
            "hashCode", "equals", "forEach", "stream", "indexOf", "lastIndexOf", "toArray",
            "floorEntry", "floorKey", "ceiling", "higher", "lower", "next", "hasNext", "sub",
            "head", "tail", "descending", "cardinality", "listIterator", "spliterator", "copyOf",
            "previous", "hasPrevious", "comparator", "length", "join", "charAt", "substring",
            "capacity", "compareTo", "codePoint", "chars");
    /** Classes of java.util without a state that changes. */
    private static final Set<String> IMMUTABLE = Set.of("Optional", "OptionalInt", "OptionalLong",
            "OptionalDouble", "Objects", "UUID", "Locale", "Currency", "HexFormat", "Comparator");
    private static final Set<String> TEXTS = Set.of("java/lang/StringBuilder",
            "java/lang/StringBuffer", "java/lang/CharSequence", "java/lang/Appendable");
    /** Types above some of {@link Opaque}'s. */
    private static final Set<String> STREAMS = Set.of("java/io/OutputStream",
            "java/io/InputStream", "java/io/Writer");
    private static final Set<String> BUFFER_READS = Set.of("remaining", "hasRemaining", "capacity",
            "duplicate", "slice", "asReadOnlyBuffer", "array", "arrayOffset", "hasArray",
            "isDirect", "isReadOnly", "equals", "hashCode", "compareTo", "mismatch", "toString",
            "charAt", "length");
    /** Methods of a buffer that read without an argument, and write with one. */
    private static final Set<String> SETTERS = Set.of("position", "limit", "order");
    private static final Set<String> DATE_READS = Set.of("getTime", "before", "after", "compareTo",
            "toInstant", "hashCode", "equals");
    /** How the names of methods begin that write an array. */
    private static final Set<String> FILLS = Set.of("read", "getBytes", "getChars", "toArray",
            "nextBytes", "inflate", "deflate", "digest", "sign", "doFinal", "sort", "fill", "set");

    static {
        object("wait", "()V", "waitFor", "(Ljava/lang/Object;I)V");
        object("wait", "(J)V", "waitFor", "(Ljava/lang/Object;JI)V");
        object("wait", "(JI)V", "waitFor", "(Ljava/lang/Object;JII)V");
        object("notify", "()V", "notifyOne", "(Ljava/lang/Object;I)V");
        object("notifyAll", "()V", "notifyEvery", "(Ljava/lang/Object;I)V");
        thread("start", "()V", "start", "(Ljava/lang/Thread;I)V");
        thread("join", "()V", "join", "(Ljava/lang/Thread;I)V");
        thread("join", "(J)V", "join", "(Ljava/lang/Thread;JI)V");
        thread("isAlive", "()Z", "isAlive", "(Ljava/lang/Thread;I)Z");
        thread("interrupt", "()V", "interrupt", "(Ljava/lang/Thread;I)V");
        thread("isInterrupted", "()Z", "isInterrupted", "(Ljava/lang/Thread;I)Z");
        thread("getState", "()Ljava/lang/Thread$State;", "getState",
                "(Ljava/lang/Thread;I)Ljava/lang/Thread$State;");
        OF_THREADS.put("getId()J", new Hook(THREADS, "getId", "(Ljava/lang/Thread;)J", ""));
        fixed(THREAD, "currentThread", "()Ljava/lang/Thread;", "currentThread", "");
        fixed(THREAD, "sleep", "(J)V", "sleep", "sleep");
        fixed(THREAD, "sleep", "(JI)V", "sleep", "sleep");
        fixed(THREAD, "yield", "()V", "yield", "yield");
        fixed(THREAD, "onSpinWait", "()V", "yield", "yield");
        fixed(THREAD, "interrupted", "()Z", "interrupted", "look at");
        STATIC.put(THREAD + ".holdsLock(Ljava/lang/Object;)Z",
                new Hook(HOOKS, "holds", "(Ljava/lang/Object;)Z", ""));
        STATIC.put("java/lang/System.arraycopy(Ljava/lang/Object;ILjava/lang/Object;II)V",
                new Hook(HOOKS, "copy", "(Ljava/lang/Object;ILjava/lang/Object;III)V", COPY));
        fixed("java/lang/System", "nanoTime", "()J", "nanoTime", "");
        fixed("java/lang/System", "currentTimeMillis", "()J", "currentTimeMillis", "");
        fixed("java/time/Instant", "now", "()Ljava/time/Instant;", "now", "");
        for (String descriptor : new String[] {"()V", "(Ljava/lang/Object;)V"}) {
            fixed(PARKING, "park", descriptor, "park", "park");
        }
        for (String descriptor : new String[] {"(J)V", "(Ljava/lang/Object;J)V"}) {
            fixed(PARKING, "parkNanos", descriptor, "parkNanos", "park");
            fixed(PARKING, "parkUntil", descriptor, "parkUntil", "park");
        }
        fixed(PARKING, "unpark", "(Ljava/lang/Thread;)V", "unpark", "unpark");
        fixed(PARKING, "getThreadId", "(Ljava/lang/Thread;)J", "getId", "");
        refuse("java/lang/Runtime.exec", "starts a process");
        refuse("java/lang/ProcessBuilder.start", "starts a process");
        refuse("java/lang/System.exit", "ends the process");
        refuse("java/lang/Thread.stop", "stops a thread");
        refuse("java/lang/Thread.suspend", "suspends a thread");
        refuse("java/lang/Thread.ofVirtual", "makes virtual threads");
        refuse("java/lang/Thread.startVirtualThread", "makes a virtual thread");
        refuse("java/util/Timer.<init>", "makes a java.util.Timer");
        refuse("java/util/Collection.parallelStream", "makes a parallel stream");
        refuse("java/util/List.parallelStream", "makes a parallel stream");
        refuse("java/util/Set.parallelStream", "makes a parallel stream");
        refuse("java/util/stream/Stream.parallel", "makes a parallel stream");
        refuse("java/util/stream/IntStream.parallel", "makes a parallel stream");
        refuse("java/util/Arrays.parallelSort", "sorts in parallel");
        refuse("java/lang/ref/ReferenceQueue.remove", "waits for the garbage collector");
        refuse("java/nio/channels/Selector.select", "waits for the network");
        refuse("java/net/ServerSocket.accept", "waits for the network");
        refuse("java/net/Socket.<init>", "uses the network");
        refuse(Mapping.PREFIX + "java/util/concurrent/ForkJoinPool.<init>", "makes a ForkJoinPool");
        refuse(Mapping.PREFIX + "java/util/concurrent/ForkJoinPool.commonPool",
                "uses the common ForkJoinPool");
        refuse(Mapping.PREFIX + "java/util/concurrent/Executors.newWorkStealingPool",
                "makes a ForkJoinPool");
        refuse(Mapping.PREFIX + "java/util/concurrent/Executors.newVirtualThreadPerTaskExecutor",
                "makes virtual threads");
    }

    private final Shapes shapes;

    Calls(Shapes shapes) {
        this.shapes = shapes;
    }

    private static void object(String name, String descriptor, String hook, String with) {
        OF_OBJECTS.put(name + descriptor, new Hook(HOOKS, hook, with, name));
    }

    private static void thread(String name, String descriptor, String hook, String with) {
        OF_THREADS.put(name + descriptor, new Hook(THREADS, hook, with, name));
    }

    /** A static method; the hook has the site behind the other arguments, if it has a verb. */
    private static void fixed(String owner, String name, String descriptor, String hook,
            String verb) {
        String with = verb.isEmpty() ? descriptor : descriptor.replace(")", "I)");
        STATIC.put(owner + "." + name + descriptor, new Hook(THREADS, hook, with, verb));
    }

    private static void refuse(String method, String what) {
        REFUSED.put(method, what);
    }

    /** The hook that stands for a call; null where there is none. */
    Hook replaced(int opcode, String owner, String name, String descriptor) {
        if (opcode == INVOKESTATIC) {
            return STATIC.get(owner + "." + name + descriptor);
        }
        if (opcode == INVOKESPECIAL) {
            return null;
        }
        if (owner.equals("java/util/concurrent/TimeUnit") && name.equals("sleep")) {
            return new Hook(THREADS, "sleep", "(Ljava/util/concurrent/TimeUnit;JI)V", "sleep");
        }
        if (owner.startsWith("[") && name.equals("clone")) {
            return new Hook(HOOKS, "clone", "(Ljava/lang/Object;I)Ljava/lang/Object;", COPY);
        }
        Hook hook = OF_OBJECTS.get(name + descriptor);
        Hook other = hook == null ? OF_THREADS.get(name + descriptor) : null;
        return other != null && shapes.isThread(owner) ? other : hook;
    }

    Hook replaced(MethodInsnNode call) {
        return replaced(call.getOpcode(), call.owner, call.name, call.desc);
    }

    /** What a call in a class does that cannot be stepped; null where it can. */
    static String refusal(MethodInsnNode call, String type) {
        if (type.startsWith(Mapping.PREFIX)) {
            return null; // the common pool is made, and no task is given to it
        }
        String what = REFUSED.get(call.owner + "." + call.name);
        boolean timed = call.owner.equals("java/util/concurrent/TimeUnit")
                && call.name.startsWith("timed");
        return timed ? "waits by TimeUnit." + call.name : what;
    }

    /** Whether a call reads or writes a field by reflection. */
    static boolean isReflection(MethodInsnNode call) {
        boolean reads = call.name.startsWith("get")
                && call.desc.startsWith("(Ljava/lang/Object;");
        boolean writes = call.name.startsWith("set") && !call.name.equals("setAccessible");
        return call.owner.equals("java/lang/reflect/Field") && (reads || writes);
    }

    /** Whether a call makes a method handle that reads or writes a field. */
    static boolean isFieldHandle(MethodInsnNode call) {
        return call.owner.equals("java/lang/invoke/MethodHandles$Lookup")
                && call.name.matches("(find|findStatic|unreflect)(Getter|Setter)");
    }

    /** The method of {@link Hooks} in front of an access by a call; null where it is none. */
    static String access(MethodInsnNode call, String type) {
        boolean isCall = call.getOpcode() == INVOKEVIRTUAL || call.getOpcode() == INVOKEINTERFACE;
        if (!isCall) {
            return null;
        }
        String name = call.name;
        if (UNSAFE.contains(call.owner) && call.desc.startsWith("(Ljava/lang/Object;J")) {
            boolean is = name.startsWith("get") || name.startsWith("put")
                    || name.startsWith("compare") || name.startsWith("weak");
            return is ? "unsafe" : null;
        }
        if (call.owner.equals("java/lang/invoke/VarHandle")) {
            return name.startsWith("get") || name.startsWith("set") || name.startsWith("compare")
                    || name.startsWith("weak") ? "handle" : null;
        }
        if (call.owner.startsWith("java/util/concurrent/atomic/")
                && call.owner.endsWith("FieldUpdater")) {
            return "updater";
        }
        return isOpaque(call.owner) && !type.startsWith(Mapping.PREFIX) ? "whole" : null;
    }

    /** Whether a call of a class of this name may be one of an object without steps in its code. */
    static boolean isOpaque(String owner) {
        if (owner.startsWith("java/util/") && owner.lastIndexOf('/') == 9) {
            return !IMMUTABLE.contains(owner.substring(10));
        }
        return TEXTS.contains(owner) || STREAMS.contains(owner) || Opaque.isOne(owner);
    }

    static boolean isBuffer(String owner) {
        return owner.startsWith("java/nio/") && owner.endsWith("Buffer");
    }

    /** Whether a call by this name only reads. */
    static boolean isRead(MethodInsnNode call) {
        String name = call.name;
        if (isBuffer(call.owner)) {
            boolean isAbsolute = call.desc.startsWith("(I");
            return name.startsWith("get") ? isAbsolute : SETTERS.contains(name)
                    ? call.desc.startsWith("()") : BUFFER_READS.contains(name);
        }
        if (call.owner.equals("java/util/Date")) {
            return DATE_READS.contains(name);
        }
        boolean isText = TEXTS.contains(call.owner);
        if (!isText && isOpaque(call.owner) && !call.owner.startsWith("java/util/")) {
            return false;
        }
        if (!isText && !call.owner.startsWith("java/util/")
                || call.owner.endsWith("FieldUpdater")) {
            return name.startsWith("get") && !name.startsWith("getAnd");
        }
        return READS.contains(name) || READS.stream().anyMatch(word -> name.startsWith(word)
                && name.length() > word.length()
                && Character.isUpperCase(name.charAt(word.length())));
    }

    /** Whether a call of a buffer changes what it has, and not its position alone. */
    static boolean changesContents(MethodInsnNode call) {
        return call.name.startsWith("put") || call.name.equals("compact");
    }

    /** Whether the arguments of a call of code without hooks have an array. */
    static boolean givesArray(MethodInsnNode call) {
        boolean isForeign = Mapping.isForeign(call.owner)
                && !call.owner.startsWith("wheelproof/")
                && !call.owner.startsWith("java/lang/invoke/") && !UNSAFE.contains(call.owner);
        return isForeign && Arrays.stream(Type.getArgumentTypes(call.desc))
                .anyMatch(argument -> argument.getSort() == Type.ARRAY);
    }

    /** Whether a call of code without hooks writes the array that it is given. */
    static boolean fillsArray(MethodInsnNode call) {
        return FILLS.stream().anyMatch(call.name::startsWith)
                || isBuffer(call.owner) && call.name.equals("get");
    }
}
