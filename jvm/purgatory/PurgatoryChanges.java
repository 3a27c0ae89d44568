package org.apache.kafka.server.purgatory;

import static wheelproof.jvm.Edits.call;
import static wheelproof.jvm.Edits.find;
import static wheelproof.jvm.Edits.is;
import static wheelproof.jvm.Edits.method;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import wheelproof.jvm.Changes;
import wheelproof.jvm.Edits;

/** Seeded changes of the purgatory; the table {@code changes} says what each is. */
final class PurgatoryChanges implements Changes, Opcodes {
    @Override
    public boolean apply(String name, ClassNode type) {
        if (is(type, "DelayedOperation")) {
            return ofOperation(name, type);
        }
        if (is(type, "DelayedOperationPurgatory")) {
            return ofPurgatory(name, type);
        }
        return is(type, "DelayedOperationPurgatory$Watchers") && ofWatchers(name, type);
    }

    private static boolean ofOperation(String name, ClassNode type) {
        MethodNode force = method(type, "forceComplete");
        MethodNode entry = method(type, "safeTryCompleteOrElse");
        MethodNode attempt = method(type, "safeTryComplete");
        return switch (name) {
            case "no-recheck" -> Edits.neverJumps(force, find(force, IFNE, 0));
            case "cancels-behind" -> {
                MethodInsnNode cancel = call(force, "cancel", 0);
                yield Edits.move(force, Edits.after(call(force, "onComplete", 0)),
                        Edits.before(cancel), cancel);
            }
            case "tries-once" -> isNotMade(entry, call(entry, "tryComplete", 1));
            case "tries-completed" ->
                    Edits.answers(attempt, call(attempt, "isCompleted", 0), ICONST_0);
            case "expires-anyway" -> {
                MethodNode run = method(type, "run");
                yield Edits.neverJumps(run, find(run, IFEQ, 0));
            }
            default -> false;
        };
    }

    private static boolean ofPurgatory(String name, ClassNode type) {
        MethodNode enter = method(type, "tryCompleteElseWatch");
        return switch (name) {
            case "no-look-behind" -> Edits.answers(enter, call(enter, "isCompleted", 1), ICONST_0);
            case "unlocked-removal" -> withoutLock(method(type, "removeKeyIfEmpty"));
            case "keeps-cancelled" -> {
                call(method(type, "cancelForKey"), "remove", 0).name = "get";
                yield true;
            }
            case "purges-always" -> {
                MethodNode advance = method(type, "advanceClock");
                yield Edits.neverJumps(advance, find(advance, IF_ICMPLE, 0));
            }
            default -> false;
        };
    }

    private static boolean ofWatchers(String name, ClassNode type) {
        MethodNode tries = method(type, "tryCompleteWatched");
        MethodNode cancel = method(type, "cancel");
        MethodNode purge = method(type, "purgeCompleted");
        return switch (name) {
            case "keeps-empty" -> Edits.answers(tries, call(tries, "isEmpty", 0), ICONST_0);
            case "keeps-completed" -> Edits.dropped(tries, call(tries, "remove", 0));
            case "purge-keeps-completed" -> Edits.dropped(purge, call(purge, "remove", 0));
            case "purge-keeps-empty" -> Edits.answers(purge, call(purge, "isEmpty", 0), ICONST_0);
            case "completes-cancelled" -> {
                MethodInsnNode given = call(cancel, "cancel", 0);
                given.name = "forceComplete";
                given.desc = "()Z";
                cancel.instructions.insert(given, new InsnNode(POP));
                yield true;
            }
            default -> false;
        };
    }

    /** A call of a method without arguments is not made; its answer is false. */
    private static boolean isNotMade(MethodNode method, MethodInsnNode call) {
        method.instructions.insertBefore(call, new InsnNode(POP));
        return Edits.replace(method, call, ICONST_0);
    }

    /** No lock is taken or given back. */
    private static boolean withoutLock(MethodNode method) {
        for (var node : method.instructions.toArray()) {
            if (node instanceof MethodInsnNode call && call.owner.endsWith("/ReentrantLock")) {
                Edits.dropped(method, call);
            }
        }
        return true;
    }
}
