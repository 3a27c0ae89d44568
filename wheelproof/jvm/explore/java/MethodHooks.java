package wheelproof.explore;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;

/** The hooks of one method. */
final class MethodHooks implements Opcodes {
    static final String HOOKS = "wheelproof/explore/Hooks";
    private static final String OBJECT = "Ljava/lang/Object;";
    /** What a handler must catch to see the end of a run. */
    private static final Set<String> CATCHES = Set.of("java/lang/Throwable", "java/lang/Error");

    private final ClassNode type;
    private final MethodNode method;
    private final List<MethodNode> added;
    private final Shapes shapes;
    private final Calls calls;
    private int line;

    MethodHooks(ClassNode type, MethodNode method, List<MethodNode> added, Shapes shapes,
            Calls calls) {
        this.type = type;
        this.method = method;
        this.added = added;
        this.shapes = shapes;
        this.calls = calls;
    }

    void instrument() {
        boolean isConstructor = method.name.equals("<init>");
        boolean before = isConstructor;
        int made = 0;
        int first = -1;
        for (AbstractInsnNode node : method.instructions.toArray()) {
            if (node instanceof LineNumberNode number) {
                line = number.line;
                first = first < 0 ? line : first;
            }
            if (before && node.getOpcode() == NEW) {
                made++;
            }
            boolean isSuper = before && node instanceof MethodInsnNode call
                    && call.name.equals("<init>") && made-- == 0;
            before &= !isSuper;
            boolean accesses = !(node instanceof MethodInsnNode);
            if (node.getOpcode() >= 0 && !(before && accesses)) {
                hook(node);
            }
        }
        rethrow();
        line = Math.max(0, first);
        if ((method.access & ACC_SYNCHRONIZED) != 0) {
            synchronize();
        } else if (isInitialiser()) {
            InsnList self = new InsnList();
            self.add(new LdcInsnNode(Type.getObjectType(type.name)));
            around(self, call(HOOKS, "initialises", "(Ljava/lang/Class;)V"),
                    call(HOOKS, "initialised", "(Ljava/lang/Class;)V"));
        }
    }

    private boolean isInitialiser() {
        return method.name.equals("<clinit>");
    }

    private void hook(AbstractInsnNode node) {
        if (isInitialiser() && !(node instanceof MethodInsnNode)) {
            return; // it is not interleaved
        }
        switch (node.getOpcode()) {
            case GETFIELD, PUTFIELD, GETSTATIC, PUTSTATIC -> field((FieldInsnNode) node);
            case IALOAD, LALOAD, FALOAD, DALOAD, AALOAD, BALOAD, CALOAD, SALOAD ->
                before(node, "element", "(" + OBJECT + "II)V", site("read", "array", false, true),
                        DUP2);
            case IASTORE, FASTORE, AASTORE, BASTORE, CASTORE, SASTORE ->
                before(node, "element", "(" + OBJECT + "II)V", site("write", "array", true, true),
                        DUP_X2, POP, DUP2_X1);
            case LASTORE, DASTORE ->
                before(node, "element", "(" + OBJECT + "II)V", site("write", "array", true, true),
                        DUP2_X2, POP2, DUP2_X2);
            case MONITORENTER -> replace(node, "enter", site("acquire", "monitor", true, false));
            case MONITOREXIT -> replace(node, "exit", site("release", "monitor", true, false));
            case INVOKEVIRTUAL, INVOKESTATIC, INVOKEINTERFACE, INVOKESPECIAL ->
                invoke((MethodInsnNode) node);
            default -> { }
        }
    }

    private Site site(String verb, String target, boolean write, boolean plain) {
        Site site = Site.add(type.name, method.name, line, verb, target, write, plain);
        site.file = type.sourceFile;
        return site;
    }

    private static MethodInsnNode call(String owner, String name, String descriptor) {
        return new MethodInsnNode(INVOKESTATIC, owner, name, descriptor, false);
    }

    /** A hook in front of an instruction, with copies of its operands. */
    private void before(AbstractInsnNode node, String hook, String descriptor, Site site,
            int... copies) {
        InsnList code = new InsnList();
        for (int opcode : copies) {
            code.add(new InsnNode(opcode));
        }
        code.add(new LdcInsnNode(site.id));
        code.add(call(HOOKS, hook, descriptor));
        method.instructions.insertBefore(node, code);
    }

    private void replace(AbstractInsnNode node, String hook, Site site) {
        method.instructions.insertBefore(node, new LdcInsnNode(site.id));
        method.instructions.set(node, call(HOOKS, hook, "(" + OBJECT + "I)V"));
    }

    private void field(FieldInsnNode access) {
        int flags = shapes.flags(access.owner, access.name);
        if (flags == Shapes.UNKNOWN || (flags & ACC_FINAL) != 0) {
            return;
        }
        int opcode = access.getOpcode();
        boolean write = opcode == PUTFIELD || opcode == PUTSTATIC;
        Site site = site(write ? "write" : "read", Site.simple(access.owner) + "." + access.name,
                write, (flags & ACC_VOLATILE) == 0);
        site.owner = access.owner;
        site.field = access.name;
        String descriptor = "(" + OBJECT + "I)V";
        if (opcode == GETSTATIC || opcode == PUTSTATIC) {
            method.instructions.insertBefore(access,
                    new LdcInsnNode(Type.getObjectType(access.owner)));
            before(access, "constant", "(Ljava/lang/Class;I)V", site);
        } else if (opcode == GETFIELD) {
            before(access, "field", descriptor, site, DUP);
        } else if (Type.getType(access.desc).getSize() == 1) {
            before(access, "field", descriptor, site, DUP2, POP);
        } else {
            before(access, "field", descriptor, site, DUP2_X1, POP2, DUP_X2);
        }
    }

    private void invoke(MethodInsnNode node) {
        String refusal = Calls.refusal(node, type.name);
        if (refusal != null) {
            before(node, "refused", "(I)V", site("call", refusal, false, false));
            return;
        }
        if (Calls.isReflection(node)) {
            before(node, "unseen", "(I)V",
                    site("call", "Field." + node.name + " by reflection", false, false));
            return;
        }
        if (Calls.isFieldHandle(node)) {
            before(node, "handles", "(I)V", site("call", target(node), false, false));
            return;
        }
        Calls.Hook hook = calls.replaced(node);
        if (hook != null) {
            if (hook.hasSite()) {
                boolean copies = hook.verb().equals(Calls.COPY);
                Site site = site(copies ? "write" : hook.verb(), target(node), true, copies);
                site.reading = copies ? site("read", target(node), false, true) : null;
                method.instructions.insertBefore(node, new LdcInsnNode(site.id));
            }
            method.instructions.set(node, call(hook.owner(), hook.name(), hook.descriptor()));
            return;
        }
        if (!type.name.startsWith(Mapping.PREFIX) && readsArgument(node)) {
            Site site = site("read", target(node), false, true);
            site.whole = true;
            before(node, "whole", "(" + OBJECT + "I)V", site, DUP);
        }
        String access = Calls.access(node, type.name);
        boolean gives = Calls.givesArray(node);
        if (node.getOpcode() == INVOKESPECIAL) {
            if (gives) {
                give(node);
            }
        } else if (access != null || gives) {
            method.instructions.set(node, bridged(node, access));
        }
    }

    /** The hook in front of a constructor that is given an array, at most third from the end. */
    private void give(MethodInsnNode node) {
        Type[] arguments = Type.getArgumentTypes(node.desc);
        int[][] copies = {{DUP}, {DUP2, POP}, {DUP2_X1, POP2, DUP_X2}};
        for (int last = 0; last < Math.min(copies.length, arguments.length); last++) {
            Type argument = arguments[arguments.length - 1 - last];
            if (argument.getSize() == 2) {
                return;
            }
            if (argument.getSort() == Type.ARRAY) {
                before(node, "given", "(" + OBJECT + "I)V", given(node), copies[last]);
            }
        }
    }

    /** Where code without hooks is given an array. */
    private Site given(MethodInsnNode node) {
        boolean fills = Calls.fillsArray(node);
        Site site = site(fills ? "write" : "read", target(node), fills, true);
        site.whole = true;
        return site;
    }

    private static String target(MethodInsnNode node) {
        return Site.simple(node.owner) + "." + node.name;
    }

    /** Whether a method of a collection reads its last argument, another collection. */
    private static boolean readsArgument(MethodInsnNode node) {
        Type[] arguments = Type.getArgumentTypes(node.desc);
        Type last = arguments.length == 0 ? null : arguments[arguments.length - 1];
        return last != null && Mapping.original(node.owner).startsWith("java/util/")
                && Set.of("java.util.Collection", "java.util.Map", "java.util.List",
                        "java.util.Set", "java.lang.Iterable").contains(last.getClassName());
    }

    /** The call of a static method with the operands as its locals: the access, then the call. */
    private MethodInsnNode bridged(MethodInsnNode node, String access) {
        boolean isStatic = node.getOpcode() == INVOKESTATIC;
        List<Type> arguments = new ArrayList<>(List.of(Type.getArgumentTypes(node.desc)));
        if (!isStatic) {
            arguments.add(0, Type.getObjectType(node.owner));
        }
        Type result = Type.getReturnType(node.desc);
        MethodNode bridge = Instrumenter.bridge(type, Instrumenter.ADDED + added.size(), result,
                arguments);
        InsnList code = bridge.instructions;
        if (access != null) {
            access(code, node, access, arguments);
        }
        if (Calls.givesArray(node)) {
            give(code, node, isStatic, arguments);
        }
        code.add(Instrumenter.loads(arguments));
        code.add(new MethodInsnNode(node.getOpcode(), node.owner, node.name, node.desc, node.itf));
        boolean views = "whole".equals(access) || Calls.isBuffer(node.owner);
        if (views && result.getSort() >= Type.ARRAY && !arguments.isEmpty()
                && arguments.get(0).getSort() >= Type.ARRAY) {
            code.add(new InsnNode(DUP));
            code.add(new VarInsnNode(ALOAD, 0));
            code.add(call(HOOKS, "view", "(" + OBJECT + OBJECT + ")V"));
        }
        code.add(new InsnNode(result.getOpcode(IRETURN)));
        added.add(bridge);
        return new MethodInsnNode(INVOKESTATIC, type.name, bridge.name, bridge.desc,
                (type.access & ACC_INTERFACE) != 0);
    }

    private void access(InsnList code, MethodInsnNode node, String access, List<Type> arguments) {
        boolean write = !Calls.isRead(node);
        boolean plain = access.equals("whole") || access.equals("handle")
                && Set.of("get", "set").contains(node.name) || access.equals("unsafe")
                && node.name.matches("(get|put)(Int|Long|Reference|Object|Boolean)");
        Site site = site(write ? "write" : "read", target(node), write, plain);
        site.whole = access.equals("whole");
        operands(code, access, arguments);
        code.add(new LdcInsnNode(site.id));
        code.add(call(HOOKS, access, switch (access) {
            case "unsafe" -> "(" + OBJECT + "JI)V";
            case "handle" -> "(" + OBJECT + OBJECT + "II)V";
            case "updater" -> "(" + OBJECT + OBJECT + "I)V";
            default -> "(" + OBJECT + "I)V";
        }));
        if (site.whole && Calls.isBuffer(node.owner)) {
            boolean changes = Calls.changesContents(node);
            Site contents = site(changes ? "write" : "read", target(node), changes, true);
            contents.whole = true;
            code.add(new VarInsnNode(ALOAD, 0));
            code.add(new LdcInsnNode(contents.id));
            code.add(call(HOOKS, "contents", "(" + OBJECT + "I)V"));
        }
    }

    private void give(InsnList code, MethodInsnNode node, boolean isStatic, List<Type> arguments) {
        int local = 0;
        for (Type argument : arguments) {
            if (argument.getSort() == Type.ARRAY && (isStatic || local > 0)) {
                code.add(isStatic ? new InsnNode(ACONST_NULL) : new VarInsnNode(ALOAD, 0));
                code.add(new VarInsnNode(ALOAD, local));
                code.add(new LdcInsnNode(given(node).id));
                code.add(call(HOOKS, "given", "(" + OBJECT + OBJECT + "I)V"));
            }
            local += argument.getSize();
        }
    }

    private static void operands(InsnList code, String access, List<Type> arguments) {
        boolean object = arguments.size() > 1 && arguments.get(1).getSort() >= Type.ARRAY;
        switch (access) {
            case "unsafe" -> {
                code.add(new VarInsnNode(ALOAD, 1));
                code.add(new VarInsnNode(LLOAD, 2));
            }
            case "handle" -> {
                code.add(new VarInsnNode(ALOAD, 0));
                code.add(object ? new VarInsnNode(ALOAD, 1) : new InsnNode(ACONST_NULL));
                boolean index = arguments.size() > 2 && arguments.get(2) == Type.INT_TYPE;
                code.add(object && index ? new VarInsnNode(ILOAD, 2) : new InsnNode(ICONST_M1));
            }
            case "updater" -> {
                code.add(new VarInsnNode(ALOAD, 0));
                code.add(object ? new VarInsnNode(ALOAD, 1) : new InsnNode(ACONST_NULL));
            }
            default -> code.add(new VarInsnNode(ALOAD, 0));
        }
    }

    /** A handler lets the end of a run through, but one whose range has itself. */
    private void rethrow() {
        if (method.tryCatchBlocks.isEmpty()) {
            return;
        }
        List<AbstractInsnNode> nodes = List.of(method.instructions.toArray());
        Set<LabelNode> handlers = new HashSet<>();
        for (TryCatchBlockNode block : method.tryCatchBlocks) {
            if (block.type == null || CATCHES.contains(block.type)) {
                handlers.add(block.handler);
            }
        }
        for (TryCatchBlockNode block : method.tryCatchBlocks) {
            int at = nodes.indexOf(block.handler);
            if (nodes.indexOf(block.start) <= at && at < nodes.indexOf(block.end)) {
                handlers.remove(block.handler);
            }
        }
        for (LabelNode handler : handlers) {
            AbstractInsnNode at = handler;
            while (at.getNext().getOpcode() < 0) {
                at = at.getNext();
            }
            InsnList code = new InsnList();
            code.add(new InsnNode(DUP));
            code.add(call(HOOKS, "caught", "(" + OBJECT + ")V"));
            method.instructions.insert(at, code);
        }
    }

    /** A synchronized method takes the monitor by hooks around its body. */
    private void synchronize() {
        method.access &= ~ACC_SYNCHRONIZED;
        Site site = site("acquire", "monitor", true, false);
        InsnList lock = new InsnList();
        lock.add((method.access & ACC_STATIC) != 0
                ? new LdcInsnNode(Type.getObjectType(type.name)) : new VarInsnNode(ALOAD, 0));
        lock.add(new LdcInsnNode(site.id));
        around(lock, call(HOOKS, "enter", "(" + OBJECT + "I)V"),
                call(HOOKS, "exit", "(" + OBJECT + "I)V"));
    }

    /** Calls of two hooks, with the same operands, at the begin and at every end of the body. */
    private void around(InsnList operands, MethodInsnNode begin, MethodInsnNode end) {
        for (AbstractInsnNode node : method.instructions.toArray()) {
            if (node.getOpcode() >= IRETURN && node.getOpcode() <= RETURN) {
                method.instructions.insertBefore(node, with(operands, end));
            }
        }
        LabelNode start = new LabelNode();
        LabelNode handler = new LabelNode();
        InsnList code = with(operands, begin);
        code.add(start);
        method.instructions.insert(code);
        boolean isStatic = (method.access & ACC_STATIC) != 0;
        method.instructions.add(handler);
        method.instructions.add(new FrameNode(F_NEW, isStatic ? 0 : 1,
                isStatic ? new Object[0] : new Object[] {type.name}, 1,
                new Object[] {"java/lang/Throwable"}));
        method.instructions.add(with(operands, end));
        method.instructions.add(new InsnNode(ATHROW));
        method.tryCatchBlocks.add(new TryCatchBlockNode(start, handler, handler, null));
    }

    private static InsnList with(InsnList operands, MethodInsnNode call) {
        InsnList code = new InsnList();
        for (AbstractInsnNode node : operands) {
            code.add(node.clone(null));
        }
        code.add(call.clone(null));
        return code;
    }
}
