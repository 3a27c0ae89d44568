package wheelproof.agent;

import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.TreeMap;

/**
 * Records what the classes of Kafka's timer and purgatory do, from the start of the JVM on.
 *
 * <p>The classes are changed when they are loaded. A fault in that would leave them as they are,
 * and a recording that shows nothing: so it halts the JVM.
 */
public final class Agent {
    private static final Map<String, Path> JARS = new ConcurrentHashMap<>();

    private Agent() { }

    /** Called by the JVM before the program's main method. */
    public static void premain(String arguments, Instrumentation instrumentation)
            throws Exception {
        Options options = Options.parse(arguments);
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (Sites.of(loaded.getName().replace('.', '/')) != null) {
                Recorder.halt(Recorder.REFUSED, loaded + " was loaded before the agent", null);
            }
        }
        noteJar(Agent.class.getProtectionDomain());
        Faults.configure(options);
        instrumentation.addTransformer(new Transformer(options.release));
        Recorder.start(options);
    }

    /** File name of the agent's jar, and of each jar with a changed class -> SHA-256. */
    static Map<String, String> hashes() {
        Map<String, String> found = new TreeMap<>();
        JARS.forEach((name, file) -> found.put(name, sha256(file)));
        return found;
    }

    private static String sha256(Path file) {
        try (InputStream bytes = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] buffer = new byte[1 << 16];
            for (int read; (read = bytes.read(buffer)) > 0; ) {
                digest.update(buffer, 0, read);
            }
            StringBuilder text = new StringBuilder();
            for (byte each : digest.digest()) {
                text.append(String.format("%02x", each));
            }
            return text.toString();
        } catch (Exception error) {
            return "not read: " + error.getMessage();
        }
    }

    private static void noteJar(ProtectionDomain domain) throws Exception {
        URL place = domain.getCodeSource().getLocation();
        Path file = Path.of(place.toURI());
        if (Files.isRegularFile(file)) {
            JARS.put(file.getFileName().toString(), file);
        }
    }

    private static final class Transformer implements ClassFileTransformer {
        private final String release;

        Transformer(String release) {
            this.release = release;
        }

        @Override
        public byte[] transform(ClassLoader loader, String name, Class<?> redefined,
                ProtectionDomain domain, byte[] bytes) {
            if (name == null || Sites.of(name) == null) {
                return null;
            }
            try {
                noteJar(domain);
                return Rewriter.rewrite(name, bytes);
            } catch (Rewriter.Unknown unknown) {
                String named = release.isEmpty() ? "" : " of Kafka " + release;
                Recorder.halt(Recorder.REFUSED, "refuses the classes" + named + ": "
                    + unknown.getMessage(), null);
            } catch (Throwable error) {
                Recorder.halt(Recorder.DEFECT, name + " could not be changed", error);
            }
            return null;
        }
    }
}
