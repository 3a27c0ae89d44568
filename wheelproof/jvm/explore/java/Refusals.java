package wheelproof.explore;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** What the classes of a harness do that cannot be stepped: looked for before anything runs. */
final class Refusals {
    private Refusals() { }

    /** The constructs of all classes of a jar, each with its place. */
    static List<String> in(URL jar, Mapping mapping) throws IOException {
        List<String> all = new ArrayList<>();
        try (InputStream in = jar.openStream(); ZipInputStream zip = new ZipInputStream(in)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                if (entry.getName().endsWith(".class")) {
                    ClassNode node = new ClassNode();
                    new ClassReader(zip.readAllBytes()).accept(node, 0);
                    node.methods.forEach(method -> look(node, method, mapping, all));
                }
            }
        }
        return all;
    }

    private static void look(ClassNode type, MethodNode method, Mapping mapping, List<String> all) {
        int line = 0;
        for (AbstractInsnNode node : method.instructions) {
            line = node instanceof LineNumberNode number ? number.line : line;
            if (node instanceof MethodInsnNode call) {
                String what = Calls.refusal(new MethodInsnNode(call.getOpcode(),
                        mapping.map(call.owner), call.name, call.desc, call.itf), type.name);
                if (what != null) {
                    all.add(new Refused(what, type.sourceFile + ":" + line).getMessage());
                }
            }
        }
    }
}
