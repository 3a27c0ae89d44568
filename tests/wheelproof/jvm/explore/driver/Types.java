package wheelproof.explore;

import java.io.IOException;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Public types of java.base whose objects have no steps in their code, and change. */
final class Types {
    private static final Path CLASSES =
            FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", "java.base");

    private Types() { }

    /** Those by whose name a call is not taken for one of such an object. */
    static List<String> overlooked(Predicate<String> isTaken)
            throws IOException, ClassNotFoundException {
        Mapping mapping = new Mapping(true);
        List<String> names = new ArrayList<>();
        for (Exports export : Object.class.getModule().getDescriptor().exports()) {
            if (export.isQualified()) {
                continue;
            }
            Path folder = CLASSES.resolve(export.source().replace('.', '/'));
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    if (!file.toString().endsWith(".class")) {
                        continue;
                    }
                    String name = CLASSES.relativize(file).toString().replace(".class", "");
                    Class<?> type = Class.forName(name.replace('/', '.'), false, null);
                    if (Modifier.isPublic(type.getModifiers()) && Opaque.isOne(name)
                            && !mapping.isCopied(name) && !isTaken.test(name)) {
                        names.add(name);
                    }
                }
            }
        }
        names.sort(null);
        return names;
    }
}
