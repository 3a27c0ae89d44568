package wheelproof.explore;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.tree.ClassNode;

/** Loads the program's classes with hooks, and copies of java.util.concurrent's. */
final class Loader extends URLClassLoader {
    private final Mapping mapping;
    private final Instrumenter instrumenter;
    private static volatile int count;
    /** Instructions that were compared with those of the original. */
    int compared;

    Loader(URL[] urls, Mapping mapping) {
        super(urls, Loader.class.getClassLoader());
        this.mapping = mapping;
        instrumenter = new Instrumenter(new Shapes(this::resource, mapping));
    }

    /** Classes with hooks that were loaded in this process. */
    static int count() {
        return count;
    }

    private InputStream resource(String name) {
        String original = Mapping.original(name);
        InputStream in = Mapping.isForeign(original)
                ? ClassLoader.getSystemResourceAsStream(original + ".class") : null;
        return in != null ? in : findInJars(original + ".class");
    }

    private InputStream findInJars(String name) {
        URL url = findResource(name);
        try {
            return url == null ? null : url.openStream();
        } catch (IOException error) {
            return null;
        }
    }

    /** Resources are those of the program's jars, before those of the tool. */
    @Override
    public URL getResource(String name) {
        URL own = findResource(name);
        return own != null ? own : super.getResource(name);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        String internal = name.replace('.', '/');
        if (Mapping.isForeign(internal) && !internal.startsWith(Mapping.PREFIX)) {
            try {
                return super.loadClass(name, resolve);
            } catch (ClassNotFoundException error) {
                if (!internal.startsWith("javax/")) {
                    throw error;
                }
            }
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known != null ? known : define(name, internal);
        }
    }

    private Class<?> define(String name, String internal) throws ClassNotFoundException {
        byte[] original;
        try (InputStream in = resource(internal)) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            original = in.readAllBytes();
        } catch (IOException error) {
            throw new ClassNotFoundException(name, error);
        }
        if (Mapping.isLogger(internal)) {
            return defineClass(name, original, 0, original.length);
        }
        ClassNode node = named(original);
        boolean keeps = Initial.changes(node)
                && node.methods.stream().noneMatch(method -> method.name.equals("<clinit>"));
        byte[] bytes = hooked(node, original);
        Class<?> type = defineClass(name, bytes, 0, bytes.length);
        if (keeps) {
            Initial.keep(type);
        }
        count++;
        return type;
    }

    private byte[] hooked(ClassNode node, byte[] original) {
        byte[] bytes = instrumenter.instrument(node);
        ClassNode after = new ClassNode();
        new ClassReader(bytes).accept(after, ClassReader.EXPAND_FRAMES);
        compared += new Inverse(named(original), after, instrumenter.calls()).check();
        return bytes;
    }

    /** The class with the names under which it is loaded. */
    private ClassNode named(byte[] original) {
        ClassNode node = new ClassNode();
        new ClassReader(original).accept(new ClassRemapper(node, mapping),
                ClassReader.EXPAND_FRAMES);
        return node;
    }
}
