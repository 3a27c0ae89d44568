package wheelproof.explore;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;

/** Puts hooks into a class: in front of accesses, and in the place of monitors and some calls. */
final class Instrumenter implements Opcodes {
    /** In front of the names of all members that are added. */
    static final String ADDED = "wheelproof$";
    static final String HELD = "wheelproof/explore/Places$Held";
    static final String PLACES = ADDED + "places";

    private final Calls calls;
    private final Shapes shapes;

    Instrumenter(Shapes shapes) {
        this.shapes = shapes;
        this.calls = new Calls(shapes);
    }

    Calls calls() {
        return calls;
    }

    /** The class file with hooks; the node is changed. */
    byte[] instrument(ClassNode type) {
        boolean copy = type.name.startsWith(Mapping.PREFIX);
        if (copy) {
            type.permittedSubclasses = null;
        }
        List<MethodNode> added = new ArrayList<>();
        references(type, added);
        List<MethodNode> methods = new ArrayList<>(type.methods);
        methods.addAll(added);
        for (MethodNode method : methods) {
            if (copy && (method.access & ACC_NATIVE) != 0) {
                answersYes(method);
            } else if ((method.access & (ACC_ABSTRACT | ACC_NATIVE)) == 0) {
                new MethodHooks(type, method, added, shapes, calls).instrument();
            }
        }
        type.methods.addAll(added);
        boolean isClass = (type.access & (ACC_INTERFACE | ACC_RECORD)) == 0;
        if (isClass && Mapping.isForeign(type.superName)) {
            hold(type);
        }
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        type.accept(writer);
        return writer.toByteArray();
    }

    /** AtomicLong asks the machine whether it compares eight bytes at once. */
    private static void answersYes(MethodNode method) {
        method.access &= ~ACC_NATIVE;
        method.instructions.add(new InsnNode(ICONST_1));
        method.instructions.add(new InsnNode(Type.getReturnType(method.desc).getOpcode(IRETURN)));
    }

    /** The object holds its own locations. */
    private static void hold(ClassNode type) {
        type.interfaces.add(HELD);
        type.fields.add(new FieldNode(ACC_PRIVATE | ACC_SYNTHETIC | ACC_TRANSIENT, PLACES,
                "Ljava/lang/Object;", null, null));
        MethodNode get = new MethodNode(ACC_PUBLIC | ACC_FINAL | ACC_SYNTHETIC, PLACES,
                "()Ljava/lang/Object;", null, null);
        get.instructions.add(new VarInsnNode(ALOAD, 0));
        get.instructions.add(new FieldInsnNode(GETFIELD, type.name, PLACES, "Ljava/lang/Object;"));
        get.instructions.add(new InsnNode(ARETURN));
        MethodNode set = new MethodNode(ACC_PUBLIC | ACC_FINAL | ACC_SYNTHETIC, PLACES,
                "(Ljava/lang/Object;)V", null, null);
        set.instructions.add(new VarInsnNode(ALOAD, 0));
        set.instructions.add(new VarInsnNode(ALOAD, 1));
        set.instructions.add(new FieldInsnNode(PUTFIELD, type.name, PLACES, "Ljava/lang/Object;"));
        set.instructions.add(new InsnNode(RETURN));
        type.methods.add(get);
        type.methods.add(set);
    }

    /** A reference of a method that has a hook, such as Thread::start, goes through a call. */
    private void references(ClassNode type, List<MethodNode> added) {
        for (MethodNode method : type.methods) {
            for (AbstractInsnNode node : method.instructions) {
                if (node instanceof InvokeDynamicInsnNode dynamic) {
                    for (int at = 0; at < dynamic.bsmArgs.length; at++) {
                        if (dynamic.bsmArgs[at] instanceof Handle handle && hasHook(handle)) {
                            MethodNode bridge =
                                    reference(type, handle, dynamic.desc, added.size());
                            added.add(bridge);
                            dynamic.bsmArgs[at] = new Handle(H_INVOKESTATIC, type.name, bridge.name,
                                    bridge.desc, (type.access & ACC_INTERFACE) != 0);
                        }
                    }
                }
            }
        }
    }

    private boolean hasHook(Handle handle) {
        int opcode = opcode(handle);
        if (opcode == NOP) {
            return false;
        }
        MethodInsnNode call = new MethodInsnNode(opcode, handle.getOwner(), handle.getName(),
                handle.getDesc(), handle.isInterface());
        return calls.replaced(call) != null || Calls.access(call, "") != null
                || Calls.givesArray(call) || Calls.refusal(call, "") != null;
    }

    /** The instruction that does what a reference says; NOP where it is none of a method. */
    static int opcode(Handle handle) {
        return switch (handle.getTag()) {
            case H_INVOKEVIRTUAL -> INVOKEVIRTUAL;
            case H_INVOKESTATIC -> INVOKESTATIC;
            case H_INVOKEINTERFACE -> INVOKEINTERFACE;
            default -> NOP;
        };
    }

    /** A bound receiver keeps its own type, of which a static method's argument has to be. */
    private static MethodNode reference(ClassNode type, Handle handle, String bound, int number) {
        List<Type> arguments = new ArrayList<>(List.of(Type.getArgumentTypes(handle.getDesc())));
        if (handle.getTag() != H_INVOKESTATIC) {
            Type[] operands = Type.getArgumentTypes(bound);
            arguments.add(0, operands.length > 0 ? operands[0]
                    : Type.getObjectType(handle.getOwner()));
        }
        Type result = Type.getReturnType(handle.getDesc());
        MethodNode bridge = bridge(type, ADDED + "reference" + number, result, arguments);
        bridge.instructions.add(loads(arguments));
        bridge.instructions.add(new MethodInsnNode(opcode(handle), handle.getOwner(),
                handle.getName(), handle.getDesc(), handle.isInterface()));
        bridge.instructions.add(new InsnNode(result.getOpcode(IRETURN)));
        return bridge;
    }

    /** A static method of the class, which has the operands of an instruction as its locals. */
    static MethodNode bridge(ClassNode type, String name, Type result, List<Type> arguments) {
        boolean isInterface = (type.access & ACC_INTERFACE) != 0;
        return new MethodNode(ASM9, ACC_STATIC | ACC_SYNTHETIC | (isInterface ? ACC_PRIVATE : 0),
                name, Type.getMethodDescriptor(result, arguments.toArray(new Type[0])), null, null);
    }

    static InsnList loads(List<Type> arguments) {
        InsnList code = new InsnList();
        int at = 0;
        for (Type argument : arguments) {
            code.add(new VarInsnNode(argument.getOpcode(ILOAD), at));
            at += argument.getSize();
        }
        return code;
    }
}
