package wheelproof.jvm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.BasicValue;
import org.objectweb.asm.tree.analysis.Frame;

/**
 * Puts a call of {@link Hooks} in front of each shared operation, with the frame's locals and
 * operand stack, and around each call of the subject's code. Nothing is removed or reordered.
 *
 * <p>A synchronized method keeps its flag and its body under another name. A wrapper of the old
 * name is the point in front of its lock; the point in front of its return is the unlock, and so is
 * that in a handler around the body, which raises again what leaves it.
 */
final class Instrumenter implements Opcodes {
    static final String BODY = "$body";

    private final ClassTable table;
    private final Sites sites;

    Instrumenter(ClassTable table, Sites sites) {
        this.table = table;
        this.sites = sites;
    }

    /** The class file with the hooks; the node is changed. */
    byte[] instrument(ClassNode type) throws AnalyzerException {
        String simple = type.name.substring(type.name.lastIndexOf('/') + 1);
        List<MethodNode> wrappers = new ArrayList<>();
        for (MethodNode method : type.methods) {
            boolean hasCode = (method.access & (ACC_ABSTRACT | ACC_NATIVE)) == 0;
            if (hasCode && !method.name.equals("<clinit>")) {
                String shown = simple + "." + method.name;
                boolean locked = (method.access & ACC_SYNCHRONIZED) != 0;
                if (locked) {
                    wrappers.add(wrapper(type, method, shown));
                }
                new Method(type, method, shown, locked).instrument();
            }
        }
        type.methods.addAll(wrappers);
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        type.accept(writer);
        return writer.toByteArray();
    }

    private MethodNode wrapper(ClassNode type, MethodNode method, String shown) {
        if ((method.access & ACC_STATIC) != 0) {
            throw new IllegalArgumentException(shown + " is static and synchronized");
        }
        String[] raised = method.exceptions.toArray(new String[0]);
        MethodNode wrapper = new MethodNode(ASM9, method.access & ~ACC_SYNCHRONIZED, method.name,
                method.desc, method.signature, raised);
        method.name += BODY;
        List<Code.Slot> slots = new ArrayList<>();
        slots.add(new Code.Slot(0, Type.getObjectType(type.name)));
        int next = 1;
        for (Type argument : Type.getArgumentTypes(method.desc)) {
            slots.add(new Code.Slot(next, argument));
            next += argument.getSize();
        }
        Site site = sites.add(shown, "SYNC-ENTER", Site.Kind.LOCK, slots.size() - 1, 0);
        InsnList code = wrapper.instructions;
        code.add(Code.hook("point", site.id, slots));
        slots.forEach(slot -> code.add(slot.load()));
        boolean isPrivate = (method.access & ACC_PRIVATE) != 0;
        code.add(new MethodInsnNode(isPrivate ? INVOKESPECIAL : INVOKEVIRTUAL, type.name,
                method.name, method.desc, false));
        code.add(new InsnNode(Type.getReturnType(method.desc).getOpcode(IRETURN)));
        return wrapper;
    }

    /** One method on its way. */
    private final class Method {
        private final ClassNode type;
        private final MethodNode method;
        private final String shown;
        private final boolean locked;
        private final boolean constructor;
        /** The locals that the verifier lets us load, by the class file's own frames. */
        private final boolean[] loadable;
        private int line;

        Method(ClassNode type, MethodNode method, String shown, boolean locked) {
            this.type = type;
            this.method = method;
            this.shown = shown;
            this.locked = locked;
            this.constructor = method.name.equals("<init>");
            this.loadable = new boolean[method.maxLocals + 1];
        }

        void instrument() throws AnalyzerException {
            Frame<BasicValue>[] frames =
                new Analyzer<>(new Code.Values()).analyze(type.name, method);
            AbstractInsnNode[] code = method.instructions.toArray();
            int next = 0;
            if ((method.access & ACC_STATIC) == 0) {
                loadable[next++] = true;
            }
            for (Type argument : Type.getArgumentTypes(method.desc)) {
                loadable[next] = true;
                next += argument.getSize();
            }
            boolean guarded = (locked || !method.tryCatchBlocks.isEmpty()) && !constructor;
            int depth = method.maxLocals;
            if (guarded) {
                method.maxLocals++;
            }
            boolean initialised = !constructor;
            for (int index = 0; index < code.length; index++) {
                AbstractInsnNode node = code[index];
                if (node instanceof LineNumberNode number) {
                    line = number.line;
                } else if (node instanceof FrameNode frame) {
                    reset(frame);
                } else if (node.getOpcode() >= 0 && frames[index] != null) {
                    if (initialised) {
                        hook(node, frames[index]);
                    } else {
                        initialised = callsConstructor(node, frames[index]);
                    }
                    if (node instanceof VarInsnNode store && Code.isStore(node.getOpcode())) {
                        loadable[store.var] = true;
                    }
                }
            }
            if (locked) {
                unlockWhereRaised();
            }
            if (guarded) {
                guardHandlers(depth);
            }
        }

        /** Body of a synchronized method in a handler: an exception unlocks as a return does. */
        private void unlockWhereRaised() {
            Type raised = Type.getObjectType("java/lang/Throwable");
            Code.Slot self = new Code.Slot(0, Type.getObjectType(type.name));
            Code.Slot held = new Code.Slot(method.maxLocals, raised);
            List<Code.Slot> values = List.of(self, held);
            Site site = sites.add(shown, "SYNC-RAISE", Site.Kind.UNLOCK, values.size() - 1, line);
            LabelNode begin = new LabelNode();
            LabelNode handler = new LabelNode();
            method.instructions.insert(begin);
            InsnList code = new InsnList();
            code.add(handler);
            code.add(new FrameNode(F_NEW, 1, new Object[] {type.name}, 1,
                    new Object[] {raised.getInternalName()}));
            code.add(held.store());
            code.add(Code.hook("raised", site.id, values));
            code.add(held.load());
            code.add(new InsnNode(ATHROW));
            method.instructions.add(code);
            method.tryCatchBlocks.add(new TryCatchBlockNode(begin, handler, handler, null));
        }

        private void reset(FrameNode frame) {
            Arrays.fill(loadable, false);
            int next = 0;
            for (Object local : frame.local) {
                loadable[next] = local != TOP && local != UNINITIALIZED_THIS
                        && !(local instanceof LabelNode);
                next += local == LONG || local == DOUBLE ? 2 : 1;
            }
        }

        /** Whether the instruction makes {@code this} an object: from there on it may be passed. */
        private boolean callsConstructor(AbstractInsnNode node, Frame<BasicValue> frame) {
            if (!(node instanceof MethodInsnNode call) || !call.name.equals("<init>")) {
                return false;
            }
            int below = frame.getStackSize() - 1 - Type.getArgumentTypes(call.desc).length;
            boolean own = call.owner.equals(type.superName) || call.owner.equals(type.name);
            return own && frame.getStack(below) != Code.Values.UNINITIALISED;
        }

        /** A local holds the depth of the frames at entry; each handler goes back to it. */
        private void guardHandlers(int local) {
            for (AbstractInsnNode node : method.instructions.toArray()) {
                if (node instanceof FrameNode frame) {
                    frame.local = Code.with(frame.local, local, INTEGER);
                }
            }
            Set<LabelNode> handlers = new HashSet<>();
            for (TryCatchBlockNode block : method.tryCatchBlocks) {
                if (handlers.add(block.handler)) {
                    AbstractInsnNode at = block.handler;
                    while (!(at instanceof FrameNode)) {
                        at = at.getNext();
                    }
                    InsnList unwind = new InsnList();
                    unwind.add(new VarInsnNode(ILOAD, local));
                    unwind.add(Code.hookCall("unwind", "(I)V"));
                    method.instructions.insert(at, unwind);
                }
            }
            InsnList entry = new InsnList();
            entry.add(Code.hookCall("depth", "()I"));
            entry.add(new VarInsnNode(ISTORE, local));
            method.instructions.insert(entry);
        }

        private void hook(AbstractInsnNode node, Frame<BasicValue> frame) {
            Operation operation = Operation.of(node, type, locked, constructor, table);
            if (operation == null) {
                return;
            }
            List<Code.Slot> values = new ArrayList<>();
            for (int local = 0; local < frame.getLocals(); local++) {
                BasicValue value = frame.getLocal(local);
                if (local < loadable.length && loadable[local] && Code.isValue(value)) {
                    values.add(new Code.Slot(local, value.getType()));
                }
            }
            int locals = values.size();
            List<Code.Slot> spilled = new ArrayList<>();
            int next = method.maxLocals;
            for (int index = 0; index < frame.getStackSize(); index++) {
                BasicValue value = frame.getStack(index);
                Code.Slot slot = new Code.Slot(next, value.getType());
                next += value.getSize();
                spilled.add(slot);
                values.add(value == Code.Values.UNINITIALISED ? null : slot);
            }
            int above = operation.worksOnThis() ? values.size() - 1 : operation.above();
            Site site = sites.add(shown, operation, above, line);
            InsnList code = new InsnList();
            for (int index = spilled.size() - 1; index >= 0; index--) {
                code.add(spilled.get(index).store());
            }
            boolean call = operation.kind() == Site.Kind.INVOKE;
            code.add(Code.hook(call ? "call" : "point", site.id, values));
            spilled.forEach(slot -> code.add(slot.load()));
            method.instructions.insertBefore(node, code);
            if (call || operation.kind() == Site.Kind.CALL_BACK) {
                method.instructions.insert(node, Code.hookCall("back", "()V"));
            } else if (operation.kind() == Site.Kind.CALL) {
                method.instructions.insert(node, Code.hookCall("left", "()V"));
            } else if (operation.field() != null && table.isDelayed(operation.field())) {
                method.instructions.insert(node, Code.hookCall("accessed", "()V"));
            } else if (operation.kind() == Site.Kind.TRY_LOCK) {
                InsnList result = new InsnList();
                result.add(new InsnNode(DUP));
                result.add(Code.hookCall("tried", "(Z)V"));
                method.instructions.insert(node, result);
            }
        }
    }
}
