package wheelproof.jvm;

import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;

/**
 * The effect of an instruction that other threads can notice, or that keeps the frame of a caller.
 *
 * @param above operands above the one that the instruction works on
 * @param worksOnThis the instruction works on {@code this}, the first local
 * @param field what it reads or writes; null where it is no access of a field
 * @param order what a call orders
 */
record Operation(Site.Kind kind, String name, int above, boolean worksOnThis,
        ClassTable.Declared field, Order.Call order) implements Opcodes {
    private static final String LOCKS = "java/util/concurrent/locks/";
    private static final Set<String> LOCK_CLASSES = Set.of(
            LOCKS + "Lock", LOCKS + "ReentrantLock", LOCKS + "ReentrantReadWriteLock$ReadLock",
            LOCKS + "ReentrantReadWriteLock$WriteLock");
    private static final Set<String> SHARED_CLASSES = Set.of(
            "java/util/concurrent/atomic/AtomicInteger", "java/util/concurrent/atomic/AtomicLong",
            "java/util/concurrent/atomic/AtomicBoolean",
            "java/util/concurrent/atomic/AtomicReference",
            "java/util/concurrent/atomic/LongAdder", "java/util/concurrent/DelayQueue",
            "java/util/concurrent/ConcurrentLinkedQueue",
            "java/util/concurrent/ConcurrentHashMap", "java/util/concurrent/ExecutorService");

    private static final String FUTURE = "java/util/concurrent/CompletableFuture";

    Operation(Site.Kind kind, String name, int above, boolean worksOnThis) {
        this(kind, name, above, worksOnThis, null, Order.Call.NOTHING);
    }

    /** Whether calls of a class order what threads do. */
    static boolean orders(String owner) {
        return owner.equals(FUTURE)
                || SHARED_CLASSES.contains(owner) && !owner.endsWith("ExecutorService");
    }

    /** The operation of an instruction; null where it is private to the thread. */
    static Operation of(AbstractInsnNode node, ClassNode type, boolean locked, boolean constructor,
            ClassTable table) {
        int opcode = node.getOpcode();
        if (opcode == MONITORENTER) {
            return new Operation(Site.Kind.LOCK, "MONITORENTER", 0, false);
        }
        if (opcode == MONITOREXIT) {
            return new Operation(Site.Kind.UNLOCK, "MONITOREXIT", 0, false);
        }
        if (locked && opcode >= IRETURN && opcode <= RETURN) {
            return new Operation(Site.Kind.UNLOCK, "SYNC-EXIT", 0, true);
        }
        if (node instanceof FieldInsnNode field
                && (opcode == GETFIELD && !constructor || opcode == PUTFIELD)) {
            ClassTable.Declared declared = table.shared(field.owner, field.name);
            if (declared != null) {
                Site.Kind write = constructor ? Site.Kind.INIT : Site.Kind.WRITE;
                boolean reads = opcode == GETFIELD;
                String name = (reads ? "GETFIELD " : "PUTFIELD ") + field.name;
                return new Operation(reads ? Site.Kind.READ : write, name, reads ? 0 : 1, false,
                        declared, Order.Call.NOTHING);
            }
        }
        return node instanceof MethodInsnNode call && !call.name.equals("<init>")
                ? ofCall(call, type, constructor, table) : null;
    }

    private static Operation ofCall(MethodInsnNode call, ClassNode type, boolean constructor,
            ClassTable table) {
        boolean lock = LOCK_CLASSES.contains(call.owner);
        boolean future = call.owner.equals(FUTURE) && call.getOpcode() == INVOKEVIRTUAL;
        if (!constructor && (lock || future || SHARED_CLASSES.contains(call.owner)
                || table.isHookedCall(call.owner))) {
            String simple = call.owner.substring(call.owner.lastIndexOf('/') + 1);
            int arguments = Type.getArgumentTypes(call.desc).length;
            Site.Kind kind = lock ? ofLock(simple, call.name)
                    : future ? Site.Kind.CALL_BACK : Site.Kind.CALL;
            return new Operation(kind, "CALL " + simple + "." + call.name, arguments, false, null,
                    Order.Call.of(call.owner, call.name));
        }
        boolean own = table.isInstrumented(call.owner) || call.owner.equals(type.superName)
                && call.getOpcode() == INVOKEVIRTUAL;
        boolean callback = call.getOpcode() == INVOKEINTERFACE
                && (call.owner.startsWith("java/util/function/")
                        || call.owner.equals("java/lang/Runnable")
                        || call.owner.startsWith("java/util/stream/")
                        || call.owner.startsWith("scala/Function"));
        return own || callback
                ? new Operation(Site.Kind.INVOKE, "INVOKE " + call.name, 0, false) : null;
    }

    private static Site.Kind ofLock(String simple, String method) {
        boolean read = simple.endsWith("ReadLock");
        boolean write = simple.endsWith("WriteLock");
        return switch (method) {
            case "lock" ->
                read ? Site.Kind.READ_LOCK : write ? Site.Kind.WRITE_LOCK : Site.Kind.LOCK;
            case "unlock" -> read ? Site.Kind.READ_UNLOCK
                    : write ? Site.Kind.WRITE_UNLOCK : Site.Kind.UNLOCK;
            case "tryLock" -> Site.Kind.TRY_LOCK;
            default -> Site.Kind.CALL;
        };
    }
}
