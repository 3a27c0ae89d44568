package wheelproof.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/** Puts hooks into a class: the calls at its {@link Sites}, a field for its {@link Info}. */
final class Rewriter implements Opcodes {
    /** The class is not one of those that the sites are made for. */
    static final class Unknown extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unknown(String message) {
            super(message);
        }
    }

    /** Name of a hook -> a call of it. */
    private static final Map<String, MethodInsnNode> HOOKS = new HashMap<>();

    // From the class files: reflection would load the classes of Kafka that hooks name.
    static {
        for (String holder : List.of("TimerHooks", "LockHooks", "RunHooks", "OperationHooks")) {
            ClassNode node = new ClassNode();
            try (InputStream bytes = Rewriter.class.getResourceAsStream(holder + ".class")) {
                new ClassReader(bytes).accept(node, ClassReader.SKIP_CODE);
            } catch (IOException error) {
                throw new ExceptionInInitializerError(error);
            }
            for (MethodNode hook : node.methods) {
                MethodInsnNode call =
                    new MethodInsnNode(INVOKESTATIC, node.name, hook.name, hook.desc, false);
                if ((hook.access & ACC_PUBLIC) != 0 && HOOKS.put(hook.name, call) != null) {
                    throw new ExceptionInInitializerError("two hooks " + hook.name);
                }
            }
        }
    }

    private Rewriter() { }

    static byte[] rewrite(String name, byte[] bytes) {
        ClassNode node = new ClassNode();
        new ClassReader(bytes).accept(node, ClassReader.EXPAND_FRAMES);
        List<Site> wraps = new ArrayList<>();
        for (Site site : Sites.of(name)) {
            int found = 0;
            for (MethodNode method : node.methods) {
                String signed = method.name + method.desc;
                boolean bridge = (method.access & ACC_BRIDGE) != 0;
                if (bridge || !signed.equals(site.method) && !method.name.equals(site.method)) {
                    continue;
                }
                if (site.how == Site.How.WRAP) {
                    found++;
                    continue;
                }
                for (AbstractInsnNode at : method.instructions.toArray()) {
                    if (site.what.equals("super") ? supers(node, method, at)
                            : text(at).equals(site.what)) {
                        put(site, method, at);
                        found++;
                    }
                }
            }
            if (found != site.count) {
                throw new Unknown(name + "." + site.method + " has " + found + " of "
                    + site.what + ", and must have " + site.count);
            }
            if (site.how == Site.How.WRAP) {
                wraps.add(site);
            }
        }
        wraps.forEach(site -> Wrapper.wrap(node, site));
        Members.add(node);
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        node.accept(writer);
        return writer.toByteArray();
    }

    /** An instruction as sites name it; "" for one that no site can name. */
    static String text(AbstractInsnNode at) {
        if (at instanceof MethodInsnNode) {
            MethodInsnNode call = (MethodInsnNode) at;
            return "call " + call.owner + "." + call.name;
        }
        if (at instanceof FieldInsnNode) {
            FieldInsnNode access = (FieldInsnNode) at;
            String what = at.getOpcode() == PUTFIELD ? "putfield " : at.getOpcode() == GETFIELD
                ? "getfield " : "";
            return what.isEmpty() ? "" : what + access.owner + "." + access.name;
        }
        switch (at.getOpcode()) {
            case MONITORENTER: return "monitorenter";
            case MONITOREXIT: return "monitorexit";
            case RETURN: return "return";
            default: return "";
        }
    }

    /** Whether this is the call of the constructor above, in one that does not call another. */
    private static boolean supers(ClassNode node, MethodNode method, AbstractInsnNode at) {
        return at.getOpcode() == INVOKESPECIAL && method.name.equals("<init>")
            && ((MethodInsnNode) at).name.equals("<init>")
            && ((MethodInsnNode) at).owner.equals(node.superName);
    }

    private static void put(Site site, MethodNode method, AbstractInsnNode at) {
        InsnList code = new InsnList();
        for (String push : site.pushes.isEmpty() ? new String[0] : site.pushes.split(" ")) {
            code.add(push(push));
        }
        code.add(call(site.hook));
        if (site.how == Site.How.AFTER) {
            // Of monitorenter the lock is needed once more before, and of a result after.
            boolean enter = at.getOpcode() == MONITORENTER;
            if (enter) {
                method.instructions.insertBefore(at, code.getFirst().clone(null));
                code.remove(code.getFirst());
            }
            method.instructions.insert(at, code);
            return;
        }
        if (site.how == Site.How.INSTEAD && at instanceof MethodInsnNode) {
            Type real = Type.getReturnType(((MethodInsnNode) at).desc);
            Type now = Type.getReturnType(HOOKS.get(site.hook).desc);
            if (real.getSort() == Type.OBJECT && !real.equals(now)) {
                code.add(new TypeInsnNode(CHECKCAST, real.getInternalName()));
            }
        }
        method.instructions.insertBefore(at, code);
        if (site.how == Site.How.INSTEAD) {
            method.instructions.remove(at);
        }
    }

    private static AbstractInsnNode push(String text) {
        switch (text.charAt(0)) {
            case 't': return new VarInsnNode(ALOAD, 0);
            case 'a': return new VarInsnNode(ALOAD, Integer.parseInt(text.substring(1)));
            case 'i': return new VarInsnNode(ILOAD, Integer.parseInt(text.substring(1)));
            case 'l': return new VarInsnNode(LLOAD, Integer.parseInt(text.substring(1)));
            case 'd': return new InsnNode(DUP);
            case 'D': return new InsnNode(DUP2);
            default: throw new IllegalArgumentException(text);
        }
    }

    /** The call of a hook. */
    static MethodInsnNode call(String name) {
        MethodInsnNode hook = HOOKS.get(name);
        if (hook == null) {
            throw new IllegalArgumentException("there is no hook " + name);
        }
        return (MethodInsnNode) hook.clone(null);
    }
}
