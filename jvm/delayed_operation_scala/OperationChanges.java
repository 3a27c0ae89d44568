package kafka.server;

import static wheelproof.jvm.Edits.find;
import static wheelproof.jvm.Edits.is;
import static wheelproof.jvm.Edits.method;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;
import wheelproof.jvm.Changes;
import wheelproof.jvm.Edits;

/** Seeded changes of the class; the table {@code changes} says what each is. */
final class OperationChanges implements Changes, Opcodes {
    @Override
    public boolean apply(String name, ClassNode type) {
        if (!is(type, "DelayedOperation")) {
            return false;
        }
        MethodNode force = method(type, "forceComplete");
        MethodNode attempt = method(type, "maybeTryComplete");
        return switch (name) {
            case "completes-again" -> Edits.neverJumps(force, find(force, IFEQ, 0));
            case "leaves-no-note" -> Edits.replace(attempt, find(attempt, ICONST_1, 0), ICONST_0);
            default -> false;
        };
    }
}
