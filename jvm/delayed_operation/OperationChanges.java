package subject;

import static wheelproof.jvm.Edits.call;
import static wheelproof.jvm.Edits.find;
import static wheelproof.jvm.Edits.is;
import static wheelproof.jvm.Edits.method;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodNode;
import wheelproof.jvm.Changes;
import wheelproof.jvm.Edits;

/** Seeded changes of the class; the tables {@code changes} say what each is. */
public final class OperationChanges implements Changes, Opcodes {
    @Override
    public boolean apply(String name, ClassNode type) {
        if (!is(type, "DelayedOperation")) {
            return false;
        }
        MethodNode force = method(type, "forceComplete");
        return switch (name) {
            case "completes-again" -> Edits.neverJumps(force, find(force, IFEQ, 0));
            case "no-recheck" -> Edits.neverJumps(force, find(force, IFNE, 0));
            case "no-first-look" -> Edits.neverJumps(force, find(force, IFEQ, 0));
            case "denies-completion" ->
                    Edits.replace(force, find(force, ICONST_1, 1), ICONST_0);
            case "never-completed" -> returnsFalse(method(type, "isCompleted"));
            case "leaves-no-note" -> {
                MethodNode attempt = method(type, "maybeTryComplete");
                yield Edits.replace(attempt, find(attempt, ICONST_1, 0), ICONST_0);
            }
            case "never-retries" -> {
                MethodNode attempt = method(type, "maybeTryComplete");
                yield Edits.replace(attempt, find(attempt, ICONST_1, 1), ICONST_0);
            }
            case "clears-late" -> clearsLate(method(type, "maybeTryComplete"));
            case "reads-early" -> readsEarly(method(type, "maybeTryComplete"));
            case "expires-anyway" -> {
                MethodNode run = method(type, "run");
                yield Edits.neverJumps(run, find(run, IFEQ, 0));
            }
            default -> false;
        };
    }

    /** The note is cleared when tryComplete has returned. */
    private static boolean clearsLate(MethodNode attempt) {
        AbstractInsnNode clear = call(attempt, "set", 0);
        AbstractInsnNode kept = Edits.after(call(attempt, "tryComplete", 0));
        return Edits.move(attempt, Edits.after(kept),
                Edits.range(Edits.before(call(attempt, "tryCompletePending", 0)), clear));
    }

    /** The note is read before the lock is given back. */
    private static boolean readsEarly(MethodNode attempt) {
        AbstractInsnNode unlock = call(attempt, "unlock", 1);
        AbstractInsnNode kept = Edits.after(call(attempt, "get", 0));
        return Edits.move(attempt, Edits.before(Edits.before(unlock)),
                Edits.range(Edits.before(call(attempt, "tryCompletePending", 1)), kept));
    }

    /** The method does what it does, and returns false. */
    private static boolean returnsFalse(MethodNode method) {
        AbstractInsnNode end = find(method, IRETURN, 0);
        method.instructions.insertBefore(end, new InsnNode(POP));
        method.instructions.insertBefore(end, new InsnNode(ICONST_0));
        return true;
    }
}
