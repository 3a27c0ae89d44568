package wheelproof.jvm;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.BasicInterpreter;
import org.objectweb.asm.tree.analysis.BasicValue;

/** The pieces of code that hooks are made of. */
final class Code implements Opcodes {
    static final String HOOKS = "wheelproof/jvm/Hooks";

    private Code() { }

    /** A local variable. */
    record Slot(int local, Type type) {
        VarInsnNode load() {
            return new VarInsnNode(type.getOpcode(ILOAD), local);
        }

        VarInsnNode store() {
            return new VarInsnNode(type.getOpcode(ISTORE), local);
        }
    }

    /** Types of values; an object whose constructor has not run is a kind of its own. */
    static final class Values extends BasicInterpreter {
        static final BasicValue UNINITIALISED =
                new BasicValue(Type.getObjectType("java/lang/Object"));

        Values() {
            super(ASM9);
        }

        @Override
        public BasicValue newOperation(AbstractInsnNode node) throws AnalyzerException {
            return node.getOpcode() == NEW ? UNINITIALISED : super.newOperation(node);
        }

        @Override
        public BasicValue copyOperation(AbstractInsnNode node, BasicValue value)
                throws AnalyzerException {
            boolean stored = value == UNINITIALISED && node.getOpcode() == ASTORE;
            return stored ? BasicValue.REFERENCE_VALUE : super.copyOperation(node, value);
        }

        @Override
        public BasicValue merge(BasicValue one, BasicValue other) {
            if (one == UNINITIALISED || other == UNINITIALISED) {
                return UNINITIALISED;
            }
            return super.merge(one, other);
        }
    }

    /** Whether a local's value can be passed to a hook. */
    static boolean isValue(BasicValue value) {
        return value != null && value.getType() != null && value != Values.UNINITIALISED
                && value != BasicValue.UNINITIALIZED_VALUE
                && value != BasicValue.RETURNADDRESS_VALUE;
    }

    static boolean isStore(int opcode) {
        return opcode >= ISTORE && opcode <= ASTORE;
    }

    static MethodInsnNode hookCall(String name, String descriptor) {
        return new MethodInsnNode(INVOKESTATIC, HOOKS, name, descriptor, false);
    }

    /** {@code Hooks.name(site, new Object[] {values})}; null stands for what cannot be passed. */
    static InsnList hook(String name, int site, List<Slot> values) {
        InsnList code = new InsnList();
        code.add(new LdcInsnNode(site));
        code.add(new LdcInsnNode(values.size()));
        code.add(new TypeInsnNode(ANEWARRAY, "java/lang/Object"));
        for (int index = 0; index < values.size(); index++) {
            Slot slot = values.get(index);
            if (slot != null) {
                code.add(new InsnNode(DUP));
                code.add(new LdcInsnNode(index));
                code.add(slot.load());
                box(code, slot.type());
                code.add(new InsnNode(AASTORE));
            }
        }
        code.add(hookCall(name, "(I[Ljava/lang/Object;)V"));
        return code;
    }

    private static void box(InsnList code, Type type) {
        switch (type.getSort()) {
            case Type.LONG -> box(code, "Long", "J");
            case Type.DOUBLE -> box(code, "Double", "D");
            case Type.FLOAT -> box(code, "Float", "F");
            case Type.BOOLEAN -> box(code, "Boolean", "Z");
            case Type.INT, Type.SHORT, Type.BYTE, Type.CHAR -> box(code, "Integer", "I");
            default -> { }
        }
    }

    private static void box(InsnList code, String name, String descriptor) {
        code.add(new MethodInsnNode(INVOKESTATIC, "java/lang/" + name, "valueOf",
                "(" + descriptor + ")Ljava/lang/" + name + ";", false));
    }

    /** A frame's locals with one more at a given slot. */
    static List<Object> with(List<Object> locals, int slot, Object type) {
        List<Object> longer = new ArrayList<>(locals);
        int used = 0;
        for (Object local : locals) {
            used += local == LONG || local == DOUBLE ? 2 : 1;
        }
        for (; used < slot; used++) {
            longer.add(TOP);
        }
        longer.add(type);
        return longer;
    }
}
