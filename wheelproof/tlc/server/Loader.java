package wheelproof.tlc;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/** Loads TLC's classes from its jar, and records them in their order. */
final class Loader extends URLClassLoader {
    private final List<Class<?>> loaded = new ArrayList<>();

    Loader(URL[] path) {
        super(path, ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        Class<?> found = super.findClass(name);
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
}
