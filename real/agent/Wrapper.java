package wheelproof.agent;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Puts hooks around a method. The method's code moves into a private one; the method itself calls
 * the hooks around it, and keeps what is seen of it, its monitor too.
 */
final class Wrapper implements Opcodes {
    private Wrapper() { }

    static void wrap(ClassNode owner, Site site) {
        MethodNode real = owner.methods.stream()
            .filter(each -> each.name.equals(site.method) && (each.access & ACC_BRIDGE) == 0)
            .findFirst().orElseThrow();
        MethodNode outer = new MethodNode(real.access, real.name, real.desc, real.signature,
            real.exceptions.toArray(new String[0]));
        real.name += "$real";
        real.access = ACC_PRIVATE | ACC_SYNTHETIC;
        real.signature = null;
        Type[] arguments = Type.getArgumentTypes(real.desc);
        Type result = Type.getReturnType(real.desc);
        int free = 1;
        for (Type each : arguments) {
            free += each.getSize();
        }
        LabelNode from = new LabelNode(), to = new LabelNode(), raised = new LabelNode();
        InsnList code = outer.instructions;
        load(code, arguments);
        code.add(Rewriter.call(site.hook + "Begin"));
        code.add(from);
        load(code, arguments);
        code.add(new MethodInsnNode(INVOKESPECIAL, owner.name, real.name, real.desc, false));
        code.add(to);
        if (result.getSort() != Type.VOID) {
            code.add(new VarInsnNode(result.getOpcode(ISTORE), free));
        }
        load(code, arguments);
        if (result.getSort() != Type.VOID) {
            code.add(new VarInsnNode(result.getOpcode(ILOAD), free));
        }
        code.add(Rewriter.call(site.hook + "End"));
        if (result.getSort() != Type.VOID) {
            code.add(new VarInsnNode(result.getOpcode(ILOAD), free));
        }
        code.add(new InsnNode(result.getOpcode(IRETURN)));
        code.add(raised);
        Object[] locals = locals(owner.name, arguments);
        Object[] thrown = {"java/lang/Throwable"};
        code.add(new FrameNode(F_NEW, locals.length, locals, 1, thrown));
        code.add(new VarInsnNode(ASTORE, free));
        load(code, arguments);
        code.add(Rewriter.call(site.hook + "Raised"));
        code.add(new VarInsnNode(ALOAD, free));
        code.add(new InsnNode(ATHROW));
        outer.tryCatchBlocks.add(new TryCatchBlockNode(from, to, raised, null));
        owner.methods.add(outer);
    }

    private static void load(InsnList code, Type[] arguments) {
        code.add(new VarInsnNode(ALOAD, 0));
        int at = 1;
        for (Type each : arguments) {
            code.add(new VarInsnNode(each.getOpcode(ILOAD), at));
            at += each.getSize();
        }
    }

    private static Object[] locals(String owner, Type[] arguments) {
        List<Object> found = new ArrayList<>(List.of(owner));
        for (Type each : arguments) {
            switch (each.getSort()) {
                case Type.LONG: found.add(LONG); break;
                case Type.OBJECT: found.add(each.getInternalName()); break;
                case Type.ARRAY: found.add(each.getDescriptor()); break;
                default: found.add(INTEGER);
            }
        }
        return found.toArray();
    }
}
