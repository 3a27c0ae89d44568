package org.apache.kafka.server.util.timer;

import static wheelproof.jvm.Edits.after;
import static wheelproof.jvm.Edits.before;
import static wheelproof.jvm.Edits.call;
import static wheelproof.jvm.Edits.field;
import static wheelproof.jvm.Edits.find;
import static wheelproof.jvm.Edits.is;
import static wheelproof.jvm.Edits.method;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;
import wheelproof.jvm.Changes;
import wheelproof.jvm.Edits;

/** Seeded changes of the three classes; the table {@code changes} says what each is. */
final class TimerTaskListChanges implements Changes, Opcodes {
    @Override
    public boolean apply(String name, ClassNode type) {
        if (is(type, "TimerTaskList")) {
            return ofList(name, method(type, "add"), method(type, "remove"), method(type, "flush"));
        } else if (is(type, "TimerTaskEntry")) {
            return name.equals("plain-list") ? Edits.plain(type, "list")
                    : ofEntry(name, method(type, "remove"), method(type, "cancelled"));
        }
        if (is(type, "TimerTask") && name.equals("plain-pointer")) {
            return Edits.plain(type, "timerTaskEntry");
        }
        return is(type, "TimerTask") && ofTask(name, method(type, "cancel"));
    }

    private static boolean ofList(
            String name, MethodNode add, MethodNode remove, MethodNode flush) {
        return switch (name) {
            case "unowned" -> Edits.neverJumps(remove, find(remove, IF_ACMPNE, 0));
            case "any-list" -> {
                AbstractInsnNode jump = find(remove, IF_ACMPNE, 0);
                remove.instructions.insertBefore(jump, new InsnNode(POP));
                yield Edits.jumpsIf(jump, IFNULL);
            }
            case "links-anyway" -> Edits.neverJumps(add, find(add, IFNONNULL, 0));
            case "no-entry-monitor" -> Edits.withoutMonitors(remove);
            case "flush-without-monitor", "flush-races" -> Edits.unsynchronized(flush);
            case "counts-anyway" -> Edits.jumpsTo(remove, find(remove, IF_ACMPNE, 0),
                    before(field(remove, GETFIELD, "taskCounter", 0)));
            case "null-first" -> {
                AbstractInsnNode put = field(remove, PUTFIELD, "list", 0);
                AbstractInsnNode to = after(find(remove, IF_ACMPNE, 0));
                yield Edits.move(remove, to, Edits.range(before(before(put)), put));
            }
            case "tail-early" -> {
                AbstractInsnNode prev = field(add, GETFIELD, "prev", 0);
                AbstractInsnNode to = before(before(before(find(add, MONITORENTER, 0))));
                yield Edits.move(add, to, Edits.range(before(before(prev)), after(prev)));
            }
            case "prev-before-next" -> {
                AbstractInsnNode prev = field(add, PUTFIELD, "prev", 0);
                AbstractInsnNode next = field(add, PUTFIELD, "next", 0);
                yield Edits.move(add, before(before(before(next))),
                        Edits.range(before(before(prev)), prev));
            }
            case "get-and-decrement" -> {
                call(remove, "decrementAndGet", 0).name = "getAndDecrement";
                yield true;
            }
            default -> false;
        };
    }

    private static boolean ofEntry(String name, MethodNode remove, MethodNode cancelled) {
        return switch (name) {
            case "never-cancelled" ->
                Edits.replace(cancelled, find(cancelled, ICONST_1, 0), ICONST_0);
            case "one-attempt" -> attempts(remove, 1);
            case "two-attempts" -> attempts(remove, 2);
            default -> false;
        };
    }

    private static boolean ofTask(String name, MethodNode cancel) {
        return switch (name) {
            case "cancel-keeps-entry" ->
                    Edits.replace(cancel, field(cancel, PUTFIELD, "timerTaskEntry", 0), POP2);
            case "cancel-without-monitor" -> Edits.withoutMonitors(cancel);
            default -> false;
        };
    }

    /** The loop ends after so many attempts: a count in a local that no other thread can see. */
    private static boolean attempts(MethodNode remove, int most) {
        int count = Edits.newLocal(remove);
        JumpInsnNode leave = (JumpInsnNode) find(remove, IFNULL, 0);
        InsnList test = new InsnList();
        test.add(new VarInsnNode(ILOAD, count));
        test.add(new InsnNode(ICONST_0 + most));
        test.add(new JumpInsnNode(IF_ICMPGE, leave.label));
        test.add(new IincInsnNode(count, 1));
        remove.instructions.insert(leave, test);
        InsnList zero = new InsnList();
        zero.add(new InsnNode(ICONST_0));
        zero.add(new VarInsnNode(ISTORE, count));
        remove.instructions.insert(zero);
        return true;
    }
}
