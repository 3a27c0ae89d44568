package org.apache.kafka.server.util.timer;

import static wheelproof.jvm.Edits.before;
import static wheelproof.jvm.Edits.call;
import static wheelproof.jvm.Edits.find;
import static wheelproof.jvm.Edits.is;
import static wheelproof.jvm.Edits.method;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import wheelproof.jvm.Changes;
import wheelproof.jvm.Edits;

/** Seeded changes of the five classes; the table {@code changes} says what each is. */
final class SystemTimerChanges implements Changes, Opcodes {
    @Override
    public boolean apply(String name, ClassNode type) {
        if (is(type, "TimingWheel")) {
            return ofWheel(name, method(type, "add"));
        } else if (is(type, "SystemTimer")) {
            return ofTimer(name, method(type, "add"), method(type, "addTimerTaskEntry"),
                    method(type, "advanceClock"));
        }
        return is(type, "TimerTaskList") && ofList(name, method(type, "flush"),
                method(type, "setExpiration"));
    }

    private static boolean ofWheel(String name, MethodNode add) {
        return switch (name) {
            case "offers-anyway" ->
                Edits.neverJumps(add, Edits.after(call(add, "setExpiration", 0)));
            case "keys-first" -> {
                MethodInsnNode link = call(add, "add", 0);
                AbstractInsnNode[] linking = Edits.range(before(before(link)), link);
                yield Edits.move(add, find(add, ICONST_1, 0), linking);
            }
            case "takes-cancelled" -> Edits.answers(add, call(add, "cancelled", 0), ICONST_0);
            case "due-a-tick-early" -> Edits.jumpsIf(find(add, IFGE, 0), IFGT);
            default -> false;
        };
    }

    private static boolean ofTimer(
            String name, MethodNode add, MethodNode put, MethodNode advance) {
        return switch (name) {
            case "no-read-lock" -> Edits.dropped(add, call(add, "lock", 0))
                    && Edits.dropped(add, call(add, "unlock", 0))
                    && Edits.dropped(add, call(add, "unlock", 0));
            case "hands-over-cancelled" -> Edits.answers(put, call(put, "cancelled", 0), ICONST_0);
            case "loses-the-second" ->
                Edits.answers(advance, call(advance, "poll", 1), ACONST_NULL);
            case "forgets-the-polled" -> {
                MethodInsnNode offer = call(advance, "offer", 0);
                advance.instructions.insert(offer, new InsnNode(ICONST_1));
                yield Edits.dropped(advance, offer);
            }
            default -> false;
        };
    }

    private static boolean ofList(String name, MethodNode flush, MethodNode key) {
        return switch (name) {
            case "keeps-key" -> Edits.dropped(flush, call(flush, "set", 0));
            case "asks-and-sets" -> BucketEdits.asksAndSets(key);
            default -> false;
        };
    }
}
