package wheelproof.explore;

import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.objectweb.asm.Handle;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/** Whether two instructions, which are no calls of methods, are the same one. */
final class Texts {
    private Texts() { }

    /** {@code labels} is called with the targets of jumps; raises what {@code fault} gives. */
    static void compare(AbstractInsnNode one, AbstractInsnNode two,
            BiPredicate<Handle, Handle> handles, BiConsumer<LabelNode, LabelNode> labels,
            Supplier<RuntimeException> fault) {
        if (one.getOpcode() != two.getOpcode() || !same(one, two, handles, labels)) {
            throw fault.get();
        }
    }

    private static boolean same(AbstractInsnNode one, AbstractInsnNode two,
            BiPredicate<Handle, Handle> handles, BiConsumer<LabelNode, LabelNode> labels) {
        if (one instanceof FieldInsnNode a && two instanceof FieldInsnNode b) {
            return a.owner.equals(b.owner) && a.name.equals(b.name) && a.desc.equals(b.desc);
        } else if (one instanceof TypeInsnNode a && two instanceof TypeInsnNode b) {
            return a.desc.equals(b.desc);
        } else if (one instanceof VarInsnNode a && two instanceof VarInsnNode b) {
            return a.var == b.var;
        } else if (one instanceof IincInsnNode a && two instanceof IincInsnNode b) {
            return a.var == b.var && a.incr == b.incr;
        } else if (one instanceof IntInsnNode a && two instanceof IntInsnNode b) {
            return a.operand == b.operand;
        } else if (one instanceof LdcInsnNode a && two instanceof LdcInsnNode b) {
            return a.cst.equals(b.cst);
        } else if (one instanceof MultiANewArrayInsnNode a
                && two instanceof MultiANewArrayInsnNode b) {
            return a.desc.equals(b.desc) && a.dims == b.dims;
        } else if (one instanceof JumpInsnNode a && two instanceof JumpInsnNode b) {
            labels.accept(a.label, b.label);
            return true;
        } else if (one instanceof TableSwitchInsnNode a && two instanceof TableSwitchInsnNode b) {
            return a.min == b.min && a.max == b.max
                    && same(a.dflt, a.labels, b.dflt, b.labels, labels);
        } else if (one instanceof LookupSwitchInsnNode a && two instanceof LookupSwitchInsnNode b) {
            return a.keys.equals(b.keys) && same(a.dflt, a.labels, b.dflt, b.labels, labels);
        } else if (one instanceof InvokeDynamicInsnNode a
                && two instanceof InvokeDynamicInsnNode b) {
            return a.name.equals(b.name) && a.desc.equals(b.desc) && a.bsm.equals(b.bsm)
                    && same(a.bsmArgs, b.bsmArgs, handles);
        }
        return one.getClass() == two.getClass();
    }

    private static boolean same(LabelNode one, List<LabelNode> ones, LabelNode two,
            List<LabelNode> twos, BiConsumer<LabelNode, LabelNode> labels) {
        labels.accept(one, two);
        for (int index = 0; index < Math.min(ones.size(), twos.size()); index++) {
            labels.accept(ones.get(index), twos.get(index));
        }
        return ones.size() == twos.size();
    }

    private static boolean same(Object[] ones, Object[] twos, BiPredicate<Handle, Handle> handles) {
        boolean same = ones.length == twos.length;
        for (int index = 0; same && index < ones.length; index++) {
            same = ones[index] instanceof Handle one && twos[index] instanceof Handle two
                    ? handles.test(one, two) : Objects.equals(ones[index], twos[index]);
        }
        return same;
    }
}
