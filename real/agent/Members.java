package wheelproof.agent;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/** The fields and methods that a class gets beside its hooks. */
final class Members implements Opcodes {
    private static final String INFO = Type.getDescriptor(Info.class);
    private static final String FIELD = "wp$info";

    private Members() { }

    static void add(ClassNode node) {
        switch (node.name.substring(node.name.lastIndexOf('/') + 1)) {
            case "DelayedOperation":
                return;
            case "TimerTask":
                node.interfaces.add(Type.getInternalName(Traced.Task.class));
                getter(node, "wp$live", "timerTaskEntry", "()Ljava/lang/Object;");
                setter(node, "wp$live", "timerTaskEntry");
                break;
            case "TimerTaskEntry":
                node.interfaces.add(Type.getInternalName(Traced.Entry.class));
                getter(node, "wp$list", "list", "()Ljava/lang/Object;");
                setter(node, "wp$list", "list");
                break;
            case "TimingWheel":
                node.interfaces.add(Type.getInternalName(Traced.Wheel.class));
                getter(node, "wp$clock", "currentTimeMs", "()J");
                getter(node, "wp$buckets", "buckets", "()[Ljava/lang/Object;");
                getter(node, "wp$above", "overflowWheel", "()Ljava/lang/Object;");
                break;
            default:
                node.interfaces.add(Type.getInternalName(Traced.class));
        }
        node.fields.add(new FieldNode(ACC_PRIVATE | ACC_TRANSIENT | ACC_SYNTHETIC, FIELD, INFO,
            null, null));
        getter(node, FIELD, FIELD, "()" + INFO);
        for (MethodNode method : node.methods) {
            if (method.name.equals("<init>")) {
                giveInfo(node, method);
            }
        }
    }

    /** An object has its Info before anything else can name it. */
    private static void giveInfo(ClassNode node, MethodNode method) {
        for (AbstractInsnNode at : method.instructions.toArray()) {
            if (at.getOpcode() == INVOKESPECIAL && ((MethodInsnNode) at).name.equals("<init>")
                    && ((MethodInsnNode) at).owner.equals(node.superName)) {
                InsnList code = new InsnList();
                code.add(new VarInsnNode(ALOAD, 0));
                code.add(Rewriter.call("info"));
                code.add(new FieldInsnNode(PUTFIELD, node.name, FIELD, INFO));
                method.instructions.insert(at, code);
                return;
            }
        }
    }

    private static void getter(ClassNode node, String name, String field, String descriptor) {
        String type = node.fields.stream().filter(each -> each.name.equals(field))
            .map(each -> each.desc).findFirst()
            .orElseThrow(() -> new Rewriter.Unknown(node.name + " has no field " + field));
        MethodNode method =
            new MethodNode(ACC_PUBLIC | ACC_SYNTHETIC, name, descriptor, null, null);
        method.instructions.add(new VarInsnNode(ALOAD, 0));
        method.instructions.add(new FieldInsnNode(GETFIELD, node.name, field, type));
        method.instructions.add(
            new InsnNode(Type.getReturnType(descriptor).getOpcode(IRETURN)));
        node.methods.add(method);
    }

    private static void setter(ClassNode node, String name, String field) {
        String type = node.fields.stream().filter(each -> each.name.equals(field))
            .map(each -> each.desc).findFirst().orElseThrow();
        MethodNode method = new MethodNode(ACC_PUBLIC | ACC_SYNTHETIC, name,
            "(Ljava/lang/Object;)V", null, null);
        method.instructions.add(new VarInsnNode(ALOAD, 0));
        method.instructions.add(new VarInsnNode(ALOAD, 1));
        method.instructions.add(
            new TypeInsnNode(CHECKCAST, Type.getType(type).getInternalName()));
        method.instructions.add(new FieldInsnNode(PUTFIELD, node.name, field, type));
        method.instructions.add(new InsnNode(RETURN));
        node.methods.add(method);
    }
}
