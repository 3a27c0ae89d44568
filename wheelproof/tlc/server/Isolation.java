package wheelproof.tlc;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps runs of TLC apart, although all of them use the same classes.
 *
 * <p>TLC keeps state in static fields. So each run finds them, and all objects that they lead to,
 * as the classes' initializers left them. A class whose initializer ran amid a run has no such
 * record. All classes are loaded anew then, and initialized before the next run.
 */
final class Isolation {
    private static final long LEFT_NANOSECONDS = 2_000_000_000L;

    private final URL[] path;
    private final Set<String> names = new LinkedHashSet<>();
    private Loader loader;
    private Snapshot snapshot;
    private int recorded;
    private int status;
    private ThreadGroup group;

    Isolation(Path jar) throws MalformedURLException {
        path = new URL[] {jar.toUri().toURL()};
        loader = new Loader(path);
        snapshot = new Snapshot(List.of());
    }

    /** Run TLC; its exit code. */
    int run(String[] arguments) {
        status = 1;
        group = new ThreadGroup("TLC");
        Thread thread = new Thread(group, () -> status = checked(arguments), "main");
        thread.setContextClassLoader(loader);
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
        return status;
    }

    /** What TLC's own main method does, which ends the JVM. */
    private int checked(String[] arguments) {
        try {
            Class<?> type = loader.loadClass("tlc2.TLC");
            Object tlc = type.getConstructor().newInstance();
            boolean understood =
                    (Boolean)
                            method(type, "handleParameters", String[].class)
                                    .invoke(tlc, (Object) arguments);
            if (!understood || !(Boolean) method(type, "checkEnvironment").invoke(tlc)) {
                return 1;
            }
            Object main = method(type, "getMainFile").invoke(tlc);
            Class<?> files = loader.loadClass("util.FileUtil");
            String folder = (String) method(files, "parseDirname", String.class).invoke(null, main);
            Class<?> finder = loader.loadClass("util.SimpleFilenameToStream");
            Object resolver =
                    folder.isEmpty()
                            ? finder.getConstructor().newInstance()
                            : finder.getConstructor(String.class).newInstance(folder);
            Class<?> general = loader.loadClass("util.FilenameToStream");
            method(type, "setResolver", general).invoke(tlc, resolver);
            Dump.replace(tlc, loader);
            Object code = method(type, "process").invoke(tlc);
            Class<?> codes = loader.loadClass("tlc2.output.EC$ExitStatus");
            return (Integer)
                    method(codes, "errorConstantToExitStatus", int.class).invoke(null, code);
        } catch (InvocationTargetException thrown) {
            thrown.getCause().printStackTrace();
        } catch (ReflectiveOperationException otherJar) {
            otherJar.printStackTrace();
        } catch (IOException unwritable) {
            unwritable.printStackTrace();
        }
        return 1;
    }

    private static Method method(Class<?> type, String name, Class<?>... parameters)
            throws NoSuchMethodException {
        Method found = type.getDeclaredMethod(name, parameters);
        found.setAccessible(true);
        return found;
    }

    /** Prepare the next run; false where that cannot be done in this JVM. */
    boolean restore() {
        long until = System.nanoTime() + LEFT_NANOSECONDS;
        while (working()) {
            if (System.nanoTime() > until) {
                return false;
            }
            LockSupport.parkNanos(100_000);
        }
        List<Class<?>> loaded = loader.loaded();
        if (loaded.stream().skip(recorded).noneMatch(Isolation::keepsState)) {
            snapshot.restore();
            return true;
        }
        for (Class<?> type : loaded) {
            names.add(type.getName());
        }
        // The old loader is not closed: the new one reads from the same open file.
        loader = new Loader(path);
        for (String name : names) {
            try {
                Class.forName(name, true, loader);
            } catch (ClassNotFoundException | LinkageError unusable) {
                return false;
            }
        }
        loaded = loader.loaded();
        recorded = loaded.size();
        snapshot = new Snapshot(loaded);
        return true;
    }

    /** Whether a thread of the last run goes on. An idle one of a pool has no method of TLC. */
    private boolean working() {
        Thread[] threads = new Thread[group.activeCount() + 1];
        int count = group.enumerate(threads);
        for (int i = 0; i < count; i++) {
            Thread.State state = threads[i].getState();
            boolean waits = state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
            boolean ofTlc =
                    Arrays.stream(threads[i].getStackTrace())
                            .anyMatch(frame -> frame.getModuleName() == null);
            if (!waits && state != Thread.State.TERMINATED || ofTlc) {
                return true;
            }
        }
        return false;
    }

    /** Whether a class has a static field that a run can change, itself or within its object. */
    private static boolean keepsState(Class<?> type) {
        for (Field field : type.getDeclaredFields()) {
            int modifiers = field.getModifiers();
            if (Modifier.isStatic(modifiers)
                    && !field.isSynthetic()
                    && !(Modifier.isFinal(modifiers)
                            && (field.getType().isPrimitive()
                                    || field.getType() == String.class))) {
                return true;
            }
        }
        return false;
    }
}
