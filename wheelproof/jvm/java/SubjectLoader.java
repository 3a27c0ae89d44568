package wheelproof.jvm;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** Loads the subject's classes from the released jar, with hooks, and the harness's classes. */
final class SubjectLoader extends URLClassLoader {
    private final ClassTable table;
    private final Instrumenter instrumenter;
    private final Map<String, String> redirected;
    private final Set<String> notRedirected;
    private final Change change;
    private final Map<String, byte[]> instrumented = new LinkedHashMap<>();
    /** Non-final static fields of the subject: they are not part of the state. */
    final Set<String> statics = new TreeSet<>();
    /** Instructions of the subject that were compared with the original. */
    int compared;

    /** A change of a class, made before the hooks: a negative control. */
    interface Change {
        /** Changes the class if it is the one; whether it did. */
        boolean apply(ClassNode type);
    }

    /**
     * {@code redirected}: "class owner.field" -> "owner.field", static fields that stand for others
     * in that class, such as a clock.
     */
    SubjectLoader(URL[] urls, Set<String> subject, Set<String> harness, Set<String> calls,
            Set<String> delayed, Map<String, String> redirected, Change change, Sites sites)
            throws IOException, AnalyzerException {
        super(urls, SubjectLoader.class.getClassLoader());
        this.table = new ClassTable(subject, harness, calls, delayed);
        this.instrumenter = new Instrumenter(table, sites);
        this.redirected = redirected;
        this.notRedirected = new TreeSet<>(redirected.keySet());
        this.change = change;
        Map<String, ClassNode> nodes = new LinkedHashMap<>();
        for (Set<String> names : List.of(subject, harness)) {
            for (String name : names) {
                nodes.put(name, read(bytes(name)));
                table.add(nodes.get(name));
            }
        }
        boolean changed = false;
        for (ClassNode node : nodes.values()) {
            if (change != null && table.isSubject(node.name)) {
                changed |= change.apply(node);
            }
        }
        for (ClassNode node : nodes.values()) {
            instrumented.put(node.name, instrument(node));
        }
        if (change != null && !changed) {
            throw new IllegalArgumentException("the change fits no class");
        }
        if (!notRedirected.isEmpty()) {
            throw new IllegalArgumentException("no instruction reads " + notRedirected);
        }
    }

    boolean isSubject(Class<?> type) {
        return type.getClassLoader() == this && table.isSubject(type.getName().replace('.', '/'));
    }

    private byte[] bytes(String name) throws IOException {
        try (InputStream in = getResourceAsStream(name + ".class")) {
            if (in == null) {
                throw new FileNotFoundException("no jar has the class " + name);
            }
            return in.readAllBytes();
        }
    }

    private static ClassNode read(byte[] bytes) {
        ClassNode node = new ClassNode();
        new ClassReader(bytes).accept(node, ClassReader.EXPAND_FRAMES);
        return node;
    }

    private byte[] instrument(ClassNode node) throws AnalyzerException {
        for (FieldNode field : node.fields) {
            int flags = field.access & (Opcodes.ACC_STATIC | Opcodes.ACC_FINAL);
            if (flags == Opcodes.ACC_STATIC && table.isSubject(node.name)) {
                statics.add(node.name + "." + field.name);
            }
        }
        redirect(node);
        Map<String, Integer> locals = Skeleton.locals(node);
        Map<String, List<String>> before = Skeleton.of(node, locals);
        byte[] bytes = instrumenter.instrument(node);
        Map<String, List<String>> after = Skeleton.of(read(bytes), locals);
        if (!before.equals(after)) {
            before.keySet().removeIf(method -> before.get(method).equals(after.get(method)));
            throw new IllegalStateException("with hooks " + node.name
                    + " is not the original: " + before.keySet());
        }
        if (table.isSubject(node.name)) {
            before.values().forEach(code -> compared += code.size());
        }
        return bytes;
    }

    private void redirect(ClassNode node) {
        for (MethodNode method : node.methods) {
            for (AbstractInsnNode each : method.instructions) {
                if (each instanceof FieldInsnNode field && each.getOpcode() == Opcodes.GETSTATIC) {
                    String key = node.name + " " + field.owner + "." + field.name;
                    String target = redirected.get(key);
                    if (target != null) {
                        notRedirected.remove(key);
                        field.owner = target.substring(0, target.lastIndexOf('.'));
                        field.name = target.substring(target.lastIndexOf('.') + 1);
                    }
                }
            }
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            byte[] bytes = instrumented.get(name.replace('.', '/'));
            if (known == null && bytes != null) {
                return defineClass(name, bytes, 0, bytes.length);
            }
            return known != null ? known : super.loadClass(name, resolve);
        }
    }
}
