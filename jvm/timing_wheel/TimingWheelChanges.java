package org.apache.kafka.server.util.timer;

import static wheelproof.jvm.Edits.before;
import static wheelproof.jvm.Edits.call;
import static wheelproof.jvm.Edits.find;
import static wheelproof.jvm.Edits.is;
import static wheelproof.jvm.Edits.method;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import wheelproof.jvm.Changes;
import wheelproof.jvm.Edits;

/** Seeded changes of the wheel and its buckets; the table {@code changes} says what each is. */
final class TimingWheelChanges implements Changes, Opcodes {
    @Override
    public boolean apply(String name, ClassNode type) {
        if (is(type, "TimingWheel")) {
            return ofWheel(name, method(type, "add"), method(type, "advanceClock"));
        }
        return is(type, "TimerTaskList") && switch (name) {
            case "keeps-key" -> Edits.dropped(method(type, "flush"),
                    call(method(type, "flush"), "set", 0));
            case "asks-and-sets" -> BucketEdits.asksAndSets(method(type, "setExpiration"));
            default -> false;
        };
    }

    private static boolean ofWheel(String name, MethodNode add, MethodNode advance) {
        return switch (name) {
            case "keys-first" -> {
                MethodInsnNode link = call(add, "add", 0);
                AbstractInsnNode[] linking = Edits.range(before(before(link)), link);
                yield Edits.move(add, find(add, ICONST_1, 0), linking);
            }
            case "due-late" -> Edits.replace(add, find(add, LADD, 0), POP2);
            case "takes-a-turn" -> Edits.jumpsIf(find(add, IFGE, 1), IFGT);
            case "slots-of-milliseconds" -> Edits.replace(add, find(add, LDIV, 0), POP2);
            case "says-no" -> Edits.replace(add, find(add, ICONST_1, 0), ICONST_0);
            case "unrounded-clock" -> Edits.replace(advance, find(advance, LSUB, 0), POP2);
            default -> false;
        };
    }
}
