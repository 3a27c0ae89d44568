package wheelproof.explore;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldNode;

/** Classes without their code: who is whose superclass, and the flags of fields. */
final class Shapes {
    /** Of a field that is not looked at, or not known. */
    static final int UNKNOWN = -1;

    private final Map<String, ClassNode> known = new HashMap<>();
    private final Function<String, InputStream> resources;
    private final Mapping mapping;

    /** {@code resources}: the class file of a name, under which the class is loaded. */
    Shapes(Function<String, InputStream> resources, Mapping mapping) {
        this.resources = resources;
        this.mapping = mapping;
    }

    private ClassNode of(String name) {
        if (!known.containsKey(name)) {
            ClassNode node = null;
            try (InputStream in = resources.apply(name)) {
                if (in != null) {
                    node = new ClassNode();
                    new ClassReader(in).accept(node, ClassReader.SKIP_CODE);
                }
            } catch (IOException error) {
                node = null;
            }
            known.put(name, node);
        }
        return known.get(name);
    }

    private String above(String name) {
        ClassNode node = of(name);
        return node == null || node.superName == null ? null : mapping.map(node.superName);
    }

    boolean isThread(String name) {
        for (String at = name; at != null; at = above(at)) {
            if (at.equals("java/lang/Thread")) {
                return true;
            }
        }
        return false;
    }

    /** Access flags of a field that a class with hooks declares, else UNKNOWN. */
    int flags(String owner, String field) {
        for (String at = owner; at != null; at = above(at)) {
            ClassNode node = of(at);
            if (node == null) {
                return UNKNOWN;
            }
            for (FieldNode each : node.fields) {
                if (each.name.equals(field)) {
                    return Mapping.isForeign(at) ? UNKNOWN : each.access;
                }
            }
            for (String type : node.interfaces) {
                if (declares(of(type), field)) {
                    return Opcodes.ACC_FINAL;
                }
            }
        }
        return UNKNOWN;
    }

    private static boolean declares(ClassNode type, String field) {
        return type != null && type.fields.stream().anyMatch(each -> each.name.equals(field));
    }
}
