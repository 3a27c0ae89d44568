package wheelproof.explore;

import java.io.IOException;
import java.lang.module.ModuleDescriptor.Exports;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;
import org.objectweb.asm.tree.ClassNode;

/** Packages that java.base does not export, and that the copies of its classes use. */
final class Packages extends Remapper {
    private static final Path CLASSES =
            FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", "java.base");

    private final Mapping mapping;
    private final Set<String> all = new TreeSet<>();

    Packages(Mapping mapping) {
        this.mapping = mapping;
    }

    List<String> names() throws IOException {
        try (Stream<Path> files = Files.find(CLASSES.resolve("java/util"), Integer.MAX_VALUE,
                (file, attributes) -> file.toString().endsWith(".class"))) {
            for (Path file : files.toList()) {
                String name = CLASSES.relativize(file).toString().replace(".class", "");
                if (mapping.isCopied(name)) {
                    new ClassReader(Files.readAllBytes(file))
                            .accept(new ClassRemapper(new ClassNode(), this), 0);
                }
            }
        }
        Set<String> exports = Object.class.getModule().getDescriptor().exports().stream()
                .filter(export -> !export.isQualified()).map(Exports::source)
                .collect(Collectors.toSet());
        return all.stream().filter(name -> !exports.contains(name)
                && Files.isDirectory(CLASSES.resolve(name.replace('.', '/')))).toList();
    }

    @Override
    public String map(String name) {
        int end = name.lastIndexOf('/');
        if (end > 0) {
            all.add(name.substring(0, end).replace('/', '.'));
        }
        return name;
    }
}
