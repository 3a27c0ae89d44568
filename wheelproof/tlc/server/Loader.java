package wheelproof.tlc;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.security.CodeSigner;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Loads TLC's classes from its jar without their finalizers, and records them in their order.
 *
 * <p>The finalizer of a run's set of fingerprints closes its files once more, amid a later run: it
 * gives their buffers back to the pool from which that run takes its own.
 */
final class Loader extends URLClassLoader {
    /** The constant of a class file that is a method's name, and the same with another name. */
    private static final byte[] FINALIZER = constant("finalize");

    private static final byte[] NO_FINALIZER = constant("uncalled");

    private final List<Class<?>> loaded = new ArrayList<>();
    private final ProtectionDomain domain;

    Loader(URL[] path) {
        super(path, ClassLoader.getPlatformClassLoader());
        domain = new ProtectionDomain(new CodeSource(path[0], (CodeSigner[]) null), null);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        URL file = findResource(name.replace('.', '/') + ".class");
        if (file == null) {
            throw new ClassNotFoundException(name);
        }
        byte[] code;
        try (InputStream content = file.openStream()) {
            code = content.readAllBytes();
        } catch (IOException unreadable) {
            throw new ClassNotFoundException(name, unreadable);
        }
        withoutFinalizer(code);
        Class<?> found = defineClass(name, code, 0, code.length, domain);
        synchronized (loaded) {
            loaded.add(found);
        }
        return found;
    }

    List<Class<?>> loaded() {
        synchronized (loaded) {
            return new ArrayList<>(loaded);
        }
    }

    private static void withoutFinalizer(byte[] code) {
        int end = FINALIZER.length;
        for (int at = 0; at + end <= code.length; at++) {
            if (code[at] == FINALIZER[0]
                    && Arrays.equals(code, at, at + end, FINALIZER, 0, end)) {
                System.arraycopy(NO_FINALIZER, 0, code, at, end);
            }
        }
    }

    private static byte[] constant(String text) {
        byte[] letters = text.getBytes(StandardCharsets.US_ASCII);
        byte[] made = new byte[letters.length + 3];
        made[0] = 1; // CONSTANT_Utf8
        made[2] = (byte) letters.length;
        System.arraycopy(letters, 0, made, 3, letters.length);
        return made;
    }
}
