package wheelproof.jvm;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** What seeded changes are made of. Every method fails where it finds nothing to change. */
public final class Edits implements Opcodes {
    private Edits() { }

    /** Whether the class has this simple name. */
    public static boolean is(ClassNode type, String simple) {
        return type.name.endsWith("/" + simple);
    }

    public static MethodNode method(ClassNode type, String name) {
        for (MethodNode method : type.methods) {
            if (method.name.equals(name) && (method.access & ACC_SYNTHETIC) == 0) {
                return method;
            }
        }
        throw new IllegalArgumentException(type.name + " has no method " + name);
    }

    /** The instruction of this opcode, counted from 0. */
    public static AbstractInsnNode find(MethodNode method, int opcode, int ordinal) {
        int seen = 0;
        for (AbstractInsnNode node : method.instructions) {
            if (node.getOpcode() == opcode && seen++ == ordinal) {
                return node;
            }
        }
        throw new IllegalArgumentException(method.name + " has no instruction " + opcode);
    }

    /** The first access of a field. */
    public static AbstractInsnNode field(MethodNode method, int opcode, String name, int ordinal) {
        int seen = 0;
        for (AbstractInsnNode node : method.instructions) {
            if (node instanceof FieldInsnNode field && node.getOpcode() == opcode
                    && field.name.equals(name) && seen++ == ordinal) {
                return node;
            }
        }
        throw new IllegalArgumentException(method.name + " has no access of " + name);
    }

    /** The call of a method, counted from 0. */
    public static MethodInsnNode call(MethodNode method, String name, int ordinal) {
        int seen = 0;
        for (AbstractInsnNode node : method.instructions) {
            if (node instanceof MethodInsnNode call && call.name.equals(name)
                    && seen++ == ordinal) {
                return call;
            }
        }
        throw new IllegalArgumentException(method.name + " does not call " + name);
    }

    /** Another instruction of the same opcode and operands, which jumps nowhere. */
    public static AbstractInsnNode copy(AbstractInsnNode node) {
        return node.clone(java.util.Map.of());
    }

    /** The next instruction before a node. */
    public static AbstractInsnNode before(AbstractInsnNode node) {
        AbstractInsnNode found = node.getPrevious();
        while (found.getOpcode() < 0) {
            found = found.getPrevious();
        }
        return found;
    }

    /** The next instruction behind a node. */
    public static AbstractInsnNode after(AbstractInsnNode node) {
        AbstractInsnNode found = node.getNext();
        while (found.getOpcode() < 0) {
            found = found.getNext();
        }
        return found;
    }

    /** A conditional jump that never jumps; its operands are dropped. */
    public static boolean neverJumps(MethodNode method, AbstractInsnNode jump) {
        int opcode = jump.getOpcode();
        boolean two = opcode >= IF_ICMPEQ && opcode <= IF_ACMPNE;
        method.instructions.set(jump, new InsnNode(two ? POP2 : POP));
        return true;
    }

    /** A conditional jump under another condition. */
    public static boolean jumpsIf(AbstractInsnNode jump, int opcode) {
        ((JumpInsnNode) jump).setOpcode(opcode);
        return true;
    }

    /** A call is made, and another answer is given: a constant of its type. */
    public static boolean answers(MethodNode method, MethodInsnNode call, int constant) {
        method.instructions.insert(call, new InsnNode(constant));
        method.instructions.insert(call, new InsnNode(POP));
        return true;
    }

    /** A call that answers nothing is not made. */
    public static boolean dropped(MethodNode method, MethodInsnNode call) {
        InsnList drop = new InsnList();
        Type[] arguments = Type.getArgumentTypes(call.desc);
        for (int index = arguments.length - 1; index >= 0; index--) {
            drop.add(new InsnNode(arguments[index].getSize() == 2 ? POP2 : POP));
        }
        drop.add(new InsnNode(POP));
        method.instructions.insert(call, drop);
        method.instructions.remove(call);
        return true;
    }

    public static boolean replace(MethodNode method, AbstractInsnNode node, int opcode) {
        method.instructions.set(node, new InsnNode(opcode));
        return true;
    }

    /** A volatile field becomes a plain one. */
    public static boolean plain(ClassNode type, String name) {
        for (FieldNode field : type.fields) {
            if (field.name.equals(name) && (field.access & ACC_VOLATILE) != 0) {
                field.access &= ~ACC_VOLATILE;
                return true;
            }
        }
        throw new IllegalArgumentException(type.name + " has no volatile field " + name);
    }

    /** The method's synchronized blocks lock nothing. */
    public static boolean withoutMonitors(MethodNode method) {
        for (AbstractInsnNode node : method.instructions.toArray()) {
            if (node.getOpcode() == MONITORENTER || node.getOpcode() == MONITOREXIT) {
                replace(method, node, POP);
            }
        }
        return true;
    }

    public static boolean unsynchronized(MethodNode method) {
        if ((method.access & ACC_SYNCHRONIZED) == 0) {
            throw new IllegalArgumentException(method.name + " is not synchronized");
        }
        method.access &= ~ACC_SYNCHRONIZED;
        return true;
    }

    /** Moves instructions, in this order, in front of another one. */
    public static boolean move(MethodNode method, AbstractInsnNode to, AbstractInsnNode... nodes) {
        for (AbstractInsnNode node : nodes) {
            method.instructions.remove(node);
            method.instructions.insertBefore(to, node);
        }
        return true;
    }

    /** The instructions from one to another, both included. */
    public static AbstractInsnNode[] range(AbstractInsnNode first, AbstractInsnNode last) {
        List<AbstractInsnNode> nodes = new ArrayList<>();
        for (AbstractInsnNode node = first; node != last; node = node.getNext()) {
            if (node.getOpcode() >= 0) {
                nodes.add(node);
            }
        }
        nodes.add(last);
        return nodes.toArray(new AbstractInsnNode[0]);
    }

    /** A jump goes to another instruction, in whose place the frame is that of the old target. */
    public static boolean jumpsTo(MethodNode method, AbstractInsnNode jump, AbstractInsnNode to) {
        JumpInsnNode changed = (JumpInsnNode) jump;
        AbstractInsnNode frame = changed.label;
        while (!(frame instanceof FrameNode)) {
            frame = frame.getNext();
        }
        FrameNode old = (FrameNode) frame;
        LabelNode label = new LabelNode();
        method.instructions.insertBefore(to, label);
        method.instructions.insertBefore(to, new FrameNode(F_NEW, old.local.size(),
                old.local.toArray(), old.stack.size(), old.stack.toArray()));
        changed.label = label;
        return true;
    }

    /** A new local of type int, known in every frame of the method; its number. */
    public static int newLocal(MethodNode method) {
        int local = method.maxLocals++;
        for (AbstractInsnNode node : method.instructions) {
            if (node instanceof FrameNode frame) {
                frame.local = Code.with(frame.local, local, INTEGER);
            }
        }
        return local;
    }
}
