package wheelproof.jvm;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldNode;

/**
 * What is known of the classes before they are instrumented: which are the subject's and which the
 * harness's, where a field is declared, and whether it can change.
 */
final class ClassTable {
    private final Set<String> subject;
    private final Set<String> harness;
    private final Set<String> calls;
    private final Set<String> delayed;
    private final Map<String, ClassNode> nodes = new HashMap<>();
    private final Map<FieldNode, Declared> declared = new IdentityHashMap<>();

    /**
     * All names are internal ones; {@code calls}: owners of further methods that are hooked.
     * {@code delayed}: "Class.field" of those whose stores may be delayed.
     */
    ClassTable(Set<String> subject, Set<String> harness, Set<String> calls, Set<String> delayed) {
        this.subject = subject;
        this.harness = harness;
        this.calls = calls;
        this.delayed = delayed;
    }

    /** A field that can change, as the class file declares it. {@code name}: "Class.field". */
    record Declared(String name, FieldNode node) {
        boolean isVolatile() {
            return (node.access & Opcodes.ACC_VOLATILE) != 0;
        }

        String simple() {
            return node.name;
        }
    }

    void add(ClassNode node) {
        nodes.put(node.name, node);
    }

    Set<String> subject() {
        return subject;
    }

    boolean isSubject(String owner) {
        return subject.contains(owner);
    }

    boolean isInstrumented(String owner) {
        return subject.contains(owner) || harness.contains(owner);
    }

    /** Whether stores into the field may be delayed. */
    boolean isDelayed(Declared field) {
        return delayed.contains(field.name()) && !field.isVolatile();
    }

    boolean isHookedCall(String owner) {
        return calls.contains(owner);
    }

    /** The field, if a class of the subject declares it and it is not final; else null. */
    Declared shared(String owner, String name) {
        for (ClassNode node = nodes.get(owner); node != null; node = nodes.get(node.superName)) {
            for (FieldNode field : node.fields) {
                if (field.name.equals(name)) {
                    boolean mine = subject.contains(node.name);
                    boolean changes = (field.access & Opcodes.ACC_FINAL) == 0;
                    return mine && changes ? declared(node, field) : null;
                }
            }
        }
        return null;
    }

    private Declared declared(ClassNode node, FieldNode field) {
        String simple = node.name.substring(node.name.lastIndexOf('/') + 1);
        return declared.computeIfAbsent(field, key -> new Declared(simple + "." + field.name, key));
    }
}
