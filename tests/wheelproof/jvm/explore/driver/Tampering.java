package wheelproof.explore;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** Changes of classes with hooks, each of which the comparison with the original has to reject. */
final class Tampering implements Opcodes {
    private final ClassLoader programs;

    Tampering(ClassLoader programs) {
        this.programs = programs;
    }

    /** A change of a method; whether it fits. */
    private interface Change {
        boolean apply(ClassNode type, MethodNode method);
    }

    List<Object> all() throws Exception {
        List<Object> lines = new ArrayList<>();
        Map<String, Change> changes = new java.util.TreeMap<>();
        changes.put("instruction", (type, method) -> removes(method, Tampering::isAddition));
        changes.put("monitor", (type, method) -> removes(method, node -> isHook(node, "enter")));
        changes.put("release", (type, method) -> removes(method, node -> isHook(node, "exit")));
        changes.put("call", (type, method) -> renames(method));
        changes.put("bridge", (type, method) -> bridges(type, method));
        changes.put("field", (type, method) -> fields(method));
        changes.put("jump", (type, method) -> jumps(method));
        changes.put("handler", (type, method) -> !method.tryCatchBlocks.isEmpty()
                && method.tryCatchBlocks.remove(0) != null);
        changes.put("method", (type, method) -> method.name.equals("step")
                && type.methods.remove(method));
        for (Map.Entry<String, Change> change : changes.entrySet()) {
            lines.add(Map.of("name", change.getKey(), "answer", answer(change.getValue())));
        }
        return lines;
    }

    private String answer(Change change) throws Exception {
        Mapping mapping = new Mapping(true);
        Shapes shapes = new Shapes(name -> programs.getResourceAsStream(name + ".class"),
                mapping);
        Instrumenter instrumenter = new Instrumenter(shapes);
        ClassNode hooked = node(mapping);
        byte[] bytes = instrumenter.instrument(hooked);
        ClassNode after = new ClassNode();
        new ClassReader(bytes).accept(after, ClassReader.EXPAND_FRAMES);
        new Inverse(node(mapping), after, instrumenter.calls()).check();
        boolean fits = false;
        for (MethodNode method : List.copyOf(after.methods)) {
            boolean own = !method.name.startsWith(Instrumenter.ADDED);
            fits = fits || own && change.apply(after, method);
        }
        try {
            new Inverse(node(mapping), after, instrumenter.calls()).check();
            return fits ? "accepted" : "fits nowhere";
        } catch (IllegalStateException rejected) {
            return rejected.getMessage();
        }
    }

    private ClassNode node(Mapping mapping) throws Exception {
        try (InputStream in = programs.getResourceAsStream("Drawn.class")) {
            ClassNode node = new ClassNode();
            new ClassReader(in).accept(new ClassRemapper(node, mapping), ClassReader.EXPAND_FRAMES);
            return node;
        }
    }

    private static boolean isAddition(AbstractInsnNode node) {
        return node.getOpcode() == IADD;
    }

    private static boolean isHook(AbstractInsnNode node, String name) {
        return node instanceof MethodInsnNode call && call.owner.equals(MethodHooks.HOOKS)
                && call.name.equals(name);
    }

    private static boolean removes(MethodNode method, Predicate<AbstractInsnNode> which) {
        for (AbstractInsnNode node : method.instructions) {
            if (which.test(node)) {
                method.instructions.remove(node);
                return true;
            }
        }
        return false;
    }

    private static boolean renames(MethodNode method) {
        for (AbstractInsnNode node : method.instructions) {
            if (node instanceof MethodInsnNode call && call.name.equals("start")) {
                call.name = "yield";
                return true;
            }
        }
        return false;
    }

    /** The method behind a call does something else. */
    private static boolean bridges(ClassNode type, MethodNode method) {
        for (AbstractInsnNode node : method.instructions) {
            if (node instanceof MethodInsnNode call && call.name.startsWith(Instrumenter.ADDED)) {
                for (MethodNode bridge : type.methods) {
                    if (bridge.name.equals(call.name)) {
                        return removes(bridge, each -> each.getOpcode() == INVOKEVIRTUAL
                                || each.getOpcode() == INVOKEINTERFACE);
                    }
                }
            }
        }
        return false;
    }

    private static boolean fields(MethodNode method) {
        for (AbstractInsnNode node : method.instructions) {
            if (node instanceof FieldInsnNode access && access.name.equals("plain")) {
                access.name = "guarded";
                return true;
            }
        }
        return false;
    }

    private static boolean jumps(MethodNode method) {
        LabelNode last = null;
        for (AbstractInsnNode node : method.instructions) {
            last = node instanceof LabelNode label ? label : last;
        }
        for (AbstractInsnNode node : method.instructions) {
            if (node instanceof JumpInsnNode jump && jump.label != last) {
                jump.label = last;
                return true;
            }
        }
        return false;
    }
}
