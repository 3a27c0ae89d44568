package wheelproof.explore;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Compares a class with hooks with the original: without the hooks, every instruction, every target
 * of a jump and every handler has to be that of the original.
 */
final class Inverse implements Opcodes {
    /** Hook to the copies of operands that may stand in front of it. */
    private static final Map<String, List<List<Integer>>> COPIES = Map.of(
            "field", List.of(List.of(DUP), List.of(DUP2, POP), List.of(DUP2_X1, POP2, DUP_X2)),
            "element", List.of(List.of(DUP2), List.of(DUP_X2, POP, DUP2_X1),
                    List.of(DUP2_X2, POP2, DUP2_X2)),
            "whole", List.of(List.of(DUP)),
            "given", List.of(List.of(DUP), List.of(DUP2, POP), List.of(DUP2_X1, POP2, DUP_X2)),
            "constant", List.of(List.of(LDC)), "refused", List.of(List.of()),
            "unseen", List.of(List.of()), "handles", List.of(List.of()));

    private final ClassNode original;
    private final ClassNode hooked;
    private final Calls calls;
    private final Map<String, MethodNode> added = new HashMap<>();

    Inverse(ClassNode original, ClassNode hooked, Calls calls) {
        this.original = original;
        this.hooked = hooked;
        this.calls = calls;
    }

    /** The number of instructions that were compared; an error names the method that differs. */
    int check() {
        Map<String, MethodNode> methods = new HashMap<>();
        for (MethodNode method : hooked.methods) {
            boolean isAdded = method.name.startsWith(Instrumenter.ADDED);
            (isAdded ? added : methods).put(method.name + method.desc, method);
        }
        int compared = 0;
        for (MethodNode method : original.methods) {
            MethodNode other = methods.remove(method.name + method.desc);
            boolean isNative = (method.access & ACC_NATIVE) != 0
                    && original.name.startsWith(Mapping.PREFIX);
            if (other == null) {
                throw differs(method.name, "is absent");
            } else if (!isNative) {
                compared += new Comparison(method, other).compare();
            }
        }
        if (!methods.isEmpty()) {
            throw differs(methods.keySet().toString(), "is no method of the original");
        }
        return compared;
    }

    private IllegalStateException differs(String method, String why) {
        return new IllegalStateException("with hooks " + original.name + "." + method
                + " is not the original: " + why);
    }

    /** One method. */
    private final class Comparison {
        private final MethodNode before;
        private final MethodNode after;
        private final List<AbstractInsnNode> code = new ArrayList<>();
        private final Map<LabelNode, Integer> places = new IdentityHashMap<>();
        private final Map<LabelNode, Integer> others = new IdentityHashMap<>();
        private int at;
        private int count;

        Comparison(MethodNode before, MethodNode after) {
            this.before = before;
            this.after = after;
        }

        int compare() {
            boolean lost = (before.access & ACC_SYNCHRONIZED) != 0;
            boolean wraps = lost || before.name.equals("<clinit>");
            if (before.access != (after.access | (lost ? ACC_SYNCHRONIZED : 0))) {
                throw differs(before.name, "its flags differ");
            }
            for (AbstractInsnNode node : after.instructions) {
                if (node.getOpcode() >= 0 || node instanceof LabelNode) {
                    code.add(node);
                }
            }
            begin(wraps && before.instructions.size() > 0, lost);
            List<Runnable> jumps = new ArrayList<>();
            for (AbstractInsnNode node : before.instructions) {
                if (node instanceof LabelNode label) {
                    places.put(label, count);
                } else if (node.getOpcode() >= 0) {
                    one(node, wraps, lost, jumps);
                    count++;
                }
            }
            labels();
            jumps.forEach(Runnable::run);
            handlers(wraps);
            return count;
        }

        private void begin(boolean wraps, boolean lost) {
            if (wraps) {
                around(lost, lost ? "enter" : "initialises");
            }
        }

        /** The hook at the begin or at an end of a synchronized method or a static initialiser. */
        private void around(boolean lost, String hook) {
            labels();
            AbstractInsnNode lock = next();
            boolean isClass = lock instanceof LdcInsnNode constant
                    && constant.cst.equals(Type.getObjectType(original.name));
            boolean isThis = lock instanceof VarInsnNode load && load.getOpcode() == ALOAD
                    && load.var == 0;
            if ((before.access & ACC_STATIC) != 0 ? !isClass : !isThis) {
                throw differs(before.name, "its monitor is another one");
            }
            if (lost) {
                next();
            }
            if (!isHook(next(), hook)) {
                throw differs(before.name, "it does not call " + hook);
            }
        }

        private void labels() {
            while (at < code.size() && code.get(at) instanceof LabelNode label) {
                others.put(label, count);
                at++;
            }
        }

        private AbstractInsnNode next() {
            if (at == code.size()) {
                throw differs(before.name, "it ends before instruction " + count);
            }
            return code.get(at++);
        }

        private boolean isHook(AbstractInsnNode node, String name) {
            return node instanceof MethodInsnNode call && call.owner.equals(MethodHooks.HOOKS)
                    && call.name.equals(name);
        }

        private void one(AbstractInsnNode node, boolean wraps, boolean lost, List<Runnable> jumps) {
            labels();
            caught();
            if (wraps && node.getOpcode() >= IRETURN && node.getOpcode() <= RETURN) {
                around(lost, lost ? "exit" : "initialised");
            }
            skip(node);
            AbstractInsnNode other = next();
            boolean isMonitor = node.getOpcode() == MONITORENTER || node.getOpcode() == MONITOREXIT;
            if (isMonitor && !before.name.equals("<clinit>")) {
                String hook = node.getOpcode() == MONITORENTER ? "enter" : "exit";
                if (!(other instanceof LdcInsnNode) || !isHook(next(), hook)) {
                    throw differs(before.name, "a monitor is not hooked at " + count);
                }
            } else if (node instanceof MethodInsnNode call) {
                call(call, other);
            } else {
                Texts.compare(node, other, this::sameHandle, (one, two) -> jumps.add(() -> {
                    if (!places.get(one).equals(others.get(two))) {
                        throw differs(before.name, "a jump goes elsewhere");
                    }
                }), () -> differs(before.name, "instruction " + count + " is another one"));
            }
        }

        /** A handler lets the end of a run through. */
        private void caught() {
            if (at + 1 < code.size() && code.get(at).getOpcode() == DUP
                    && isHook(code.get(at + 1), "caught")) {
                at += 2;
            }
        }

        /** Skips a hook in front of an instruction, with its operands. */
        private void skip(AbstractInsnNode node) {
            for (int end = at; end < Math.min(at + 5, code.size()); end++) {
                if (code.get(end) instanceof MethodInsnNode call
                        && call.owner.equals(MethodHooks.HOOKS)) {
                    List<Integer> copies = new ArrayList<>();
                    code.subList(at, Math.max(at, end - 1)).forEach(copy ->
                            copies.add(copy.getOpcode()));
                    if (COPIES.getOrDefault(call.name, List.of()).contains(copies)) {
                        at = end + 1;
                    }
                    return;
                } else if (!(code.get(end) instanceof InsnNode)
                        && !(code.get(end) instanceof LdcInsnNode)) {
                    return;
                }
            }
        }

        private void call(MethodInsnNode call, AbstractInsnNode first) {
            AbstractInsnNode other = first;
            boolean isRefused = Calls.refusal(call, original.name) != null;
            Calls.Hook hook = isRefused ? null : calls.replaced(call);
            if (hook != null) {
                if (hook.hasSite()) {
                    other = next();
                }
                boolean same = other instanceof MethodInsnNode used
                        && used.owner.equals(hook.owner()) && used.name.equals(hook.name())
                        && used.desc.equals(hook.descriptor());
                if (!same) {
                    throw differs(before.name, "another hook stands for " + call.name);
                }
            } else if (other instanceof MethodInsnNode used && !same(call, used)
                    && !isBridge(call, used)) {
                throw differs(before.name, "another call stands for " + call.name);
            } else if (!(other instanceof MethodInsnNode)) {
                throw differs(before.name, "no call stands for " + call.name);
            }
        }

        private boolean same(MethodInsnNode call, MethodInsnNode used) {
            return call.getOpcode() == used.getOpcode() && call.owner.equals(used.owner)
                    && call.name.equals(used.name) && call.desc.equals(used.desc)
                    && call.itf == used.itf;
        }

        /** Whether a method of this class makes the call, with its operands in order. */
        private boolean isBridge(MethodInsnNode call, MethodInsnNode used) {
            MethodNode bridge = added.get(used.name + used.desc);
            if (bridge == null || !used.owner.equals(original.name)) {
                return false;
            }
            List<AbstractInsnNode> body = new ArrayList<>();
            int hook = -1;
            for (AbstractInsnNode node : bridge.instructions) {
                if (node.getOpcode() >= 0) {
                    boolean isHook = node instanceof MethodInsnNode each
                            && each.owner.equals(MethodHooks.HOOKS) && !each.name.equals("view");
                    hook = isHook ? body.size() : hook;
                    body.add(node);
                }
            }
            int next = hook + 1;
            int local = 0;
            for (Type argument : Type.getArgumentTypes(bridge.desc)) {
                boolean loads = body.get(next++) instanceof VarInsnNode load && load.var == local
                        && load.getOpcode() == argument.getOpcode(ILOAD);
                if (!loads) {
                    return false;
                }
                local += argument.getSize();
            }
            return body.get(next) instanceof MethodInsnNode made && same(call, made);
        }

        private boolean sameHandle(Handle one, Handle two) {
            if (one.equals(two)) {
                return true;
            }
            MethodInsnNode used = new MethodInsnNode(INVOKESTATIC, two.getOwner(), two.getName(),
                    two.getDesc());
            MethodNode bridge = added.get(used.name + used.desc);
            return bridge != null && used.owner.equals(original.name);
        }

        private void handlers(boolean wraps) {
            List<TryCatchBlockNode> blocks = new ArrayList<>(after.tryCatchBlocks);
            if (wraps && before.instructions.size() > 0) {
                TryCatchBlockNode own = blocks.remove(blocks.size() - 1);
                if (own.type != null || !Integer.valueOf(count).equals(others.get(own.handler))) {
                    throw differs(before.name, "its own handler is another one");
                }
            }
            boolean same = blocks.size() == before.tryCatchBlocks.size();
            for (int index = 0; same && index < blocks.size(); index++) {
                TryCatchBlockNode one = before.tryCatchBlocks.get(index);
                TryCatchBlockNode two = blocks.get(index);
                same = places.get(one.start).equals(others.get(two.start))
                        && places.get(one.end).equals(others.get(two.end))
                        && places.get(one.handler).equals(others.get(two.handler))
                        && (one.type == null ? two.type == null : one.type.equals(two.type));
            }
            if (!same) {
                throw differs(before.name, "its handlers are others");
            }
        }
    }
}
