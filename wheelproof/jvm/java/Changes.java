package wheelproof.jvm;

import org.objectweb.asm.tree.ClassNode;

/** Seeded changes of class files: what the comparison with the model has to reject. */
public interface Changes {
    /** Applies the change of this name if it is one of this class; whether it was applied. */
    boolean apply(String name, ClassNode type);
}
