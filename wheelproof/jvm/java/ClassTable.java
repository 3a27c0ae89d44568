package wheelproof.jvm;

import java.util.HashMap;
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
    private final Map<String, ClassNode> nodes = new HashMap<>();

    /** All names are internal ones; {@code calls}: owners of further methods that are hooked. */
    ClassTable(Set<String> subject, Set<String> harness, Set<String> calls) {
        this.subject = subject;
        this.harness = harness;
        this.calls = calls;
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

    boolean isHookedCall(String owner) {
        return calls.contains(owner);
    }

    /** Whether a class of the subject declares the field and it is not final. */
    boolean isShared(String owner, String name) {
        for (ClassNode node = nodes.get(owner); node != null; node = nodes.get(node.superName)) {
            for (FieldNode field : node.fields) {
                if (field.name.equals(name)) {
                    return subject.contains(node.name) && (field.access & Opcodes.ACC_FINAL) == 0;
                }
            }
        }
        return false;
    }
}
