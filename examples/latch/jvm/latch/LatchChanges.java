package latch;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;
import wheelproof.jvm.Changes;
import wheelproof.jvm.Edits;

/** Seeded bugs; the table {@code changes} says what each is. */
final class LatchChanges implements Changes, Opcodes {
    @Override
    public boolean apply(String name, ClassNode type) {
        if (!Edits.is(type, "Latch")) {
            return false;
        }
        MethodNode method = Edits.method(type, "countDown");
        return switch (name) {
            case "unguarded" -> Edits.withoutMonitors(method);
            case "opens-early" -> Edits.jumpsIf(Edits.find(method, IF_ICMPNE, 0), IF_ICMPLT);
            default -> false;
        };
    }
}
