package org.apache.kafka.server.util.timer;

import static wheelproof.jvm.Edits.find;
import static wheelproof.jvm.Edits.is;
import static wheelproof.jvm.Edits.method;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;
import wheelproof.jvm.Changes;
import wheelproof.jvm.Edits;

/** Seeded changes of wheels, entries and tasks; the table {@code changes} says what each is. */
final class OverflowWheelChanges implements Changes, Opcodes {
    @Override
    public boolean apply(String name, ClassNode type) {
        return switch (name) {
            case "plain-list" -> is(type, "TimerTaskEntry") && Edits.plain(type, "list");
            case "plain-pointer" -> is(type, "TimerTask") && Edits.plain(type, "timerTaskEntry");
            default -> is(type, "TimingWheel")
                    && of(name, type, method(type, "addOverflowWheel"));
        };
    }

    private static boolean of(String name, ClassNode type, MethodNode making) {
        return switch (name) {
            case "plain-overflow-wheel" -> Edits.plain(type, "overflowWheel");
            case "no-second-check" -> Edits.neverJumps(making, find(making, IFNONNULL, 0));
            case "no-monitor" -> Edits.unsynchronized(making);
            default -> false;
        };
    }
}
