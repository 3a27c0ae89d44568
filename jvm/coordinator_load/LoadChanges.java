package org.apache.kafka.coordinator.common.runtime;

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

/** Seeded changes of the runtime's classes; the table {@code changes} says what each is. */
final class LoadChanges implements Changes, Opcodes {
    @Override
    public boolean apply(String name, ClassNode type) {
        if (is(type, "CoordinatorRuntime")) {
            return ofRuntime(name, type);
        } else if (is(type, "CoordinatorRuntime$CoordinatorContext")) {
            return ofContext(name, type);
        }
        return is(type, "CoordinatorRuntime$HighWatermarkListener")
                && name.equals("deaf-while-loading") && isDeaf(type);
    }

    private static boolean ofRuntime(String name, ClassNode type) {
        return switch (name) {
            case "unloads-any" -> ignoresEpoch(lambda(type, "getAsInt"));
            case "lowers-the-epoch" -> ignoresEpoch(lambda(type, "maybeCreateContext"));
            default -> false;
        };
    }

    private static boolean ofContext(String name, ClassNode type) {
        MethodNode transition = method(type, "transitionTo");
        return switch (name) {
            case "keeps-writes" -> {
                MethodNode unload = method(type, "unload");
                yield Edits.dropped(unload, call(unload, "failAll", 0));
            }
            case "forgets-heard" -> Edits.dropped(transition,
                    call(transition, "updateLastCommittedOffset", 0));
            case "completes-another" -> {
                MethodNode end = lambda(type, "recordPartitionLoadSensor");
                AbstractInsnNode self = before(find(end, IF_ACMPEQ, 1));
                end.instructions.set(self, Edits.copy(before(self)));
                yield true;
            }
            default -> false;
        };
    }

    /** The epochs are compared, and the answer does not matter. */
    private static boolean ignoresEpoch(MethodNode method) {
        return Edits.neverJumps(method, find(method, IF_ICMPGE, 0));
    }

    private static boolean isDeaf(ClassNode type) {
        MethodNode event = lambda(type, "updateLastCommittedOffset");
        AbstractInsnNode store = Edits.field(event, PUTFIELD, "loadingHighWatermark", 0);
        event.instructions.insert(store, new InsnNode(POP));
        return Edits.replace(event, store, POP2);
    }

    /** The lambda that calls a method of this name; the compiler has named the lambda. */
    private static MethodNode lambda(ClassNode type, String called) {
        for (MethodNode method : type.methods) {
            for (AbstractInsnNode node : method.instructions) {
                if (method.name.startsWith("lambda$") && node instanceof MethodInsnNode call
                        && call.name.equals(called)) {
                    return method;
                }
            }
        }
        throw new IllegalArgumentException(type.name + " has no lambda that calls " + called);
    }
}
