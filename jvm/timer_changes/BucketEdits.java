package org.apache.kafka.server.util.timer;

import static wheelproof.jvm.Edits.call;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import wheelproof.jvm.Edits;

/** Changes of a bucket that several mechanisms seed. */
final class BucketEdits implements Opcodes {
    private BucketEdits() { }

    /** setExpiration compares with a key that it has read before it sets the new one. */
    static boolean asksAndSets(MethodNode method) {
        MethodInsnNode swap = call(method, "getAndSet", 0);
        InsnList ask = new InsnList();
        ask.add(Edits.copy(Edits.before(Edits.before(Edits.before(swap)))));
        ask.add(Edits.copy(Edits.before(Edits.before(swap))));
        ask.add(new MethodInsnNode(INVOKEVIRTUAL, swap.owner, "get", "()J", false));
        method.instructions.insert(method.instructions.getFirst(), ask);
        method.instructions.insert(swap, new InsnNode(POP2));
        return true;
    }
}
