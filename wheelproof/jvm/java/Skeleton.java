package wheelproof.jvm;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * A class's code without the hooks: every instruction with its operands, the targets of jumps, the
 * ranges of handlers. Of an instrumented class it has to be that of the original.
 */
final class Skeleton implements Opcodes {
    private Skeleton() { }

    /** Method -> its code as texts. {@code original}: the method's number of locals in the jar. */
    static Map<String, List<String>> of(ClassNode type, Map<String, Integer> original) {
        Map<String, List<String>> all = new TreeMap<>();
        for (MethodNode method : type.methods) {
            boolean split = method.name.endsWith(Instrumenter.BODY);
            String name = split ? method.name.substring(0, method.name.length() - 5) : method.name;
            boolean wrapper = !split && type.methods.stream().anyMatch(other ->
                    other.name.equals(method.name + Instrumenter.BODY)
                            && other.desc.equals(method.desc));
            if (!wrapper) {
                int locals = original.getOrDefault(name + method.desc, method.maxLocals);
                all.put(name + method.desc, code(method, locals));
            }
        }
        return all;
    }

    /** The number of locals of each method. */
    static Map<String, Integer> locals(ClassNode type) {
        Map<String, Integer> all = new TreeMap<>();
        type.methods.forEach(method -> all.put(method.name + method.desc, method.maxLocals));
        return all;
    }

    private static List<String> code(MethodNode method, int locals) {
        LinkedList<AbstractInsnNode> kept = new LinkedList<>();
        boolean raises = false;
        for (AbstractInsnNode node : method.instructions) {
            if (node instanceof MethodInsnNode call && call.owner.equals(Code.HOOKS)) {
                dropArguments(call, kept);
                raises = call.name.equals("raised");
            } else if (raises && node.getOpcode() == ATHROW) {
                raises = false;
            } else if (!(node instanceof VarInsnNode variable) || variable.var < locals) {
                kept.add(node);
            }
        }
        Map<LabelNode, Integer> places = new IdentityHashMap<>();
        int place = 0;
        for (AbstractInsnNode node : kept) {
            if (node instanceof LabelNode label) {
                places.put(label, place);
            } else if (node.getOpcode() >= 0) {
                place++;
            }
        }
        List<String> texts = new ArrayList<>();
        for (AbstractInsnNode node : kept) {
            if (node.getOpcode() >= 0) {
                texts.add(node.getOpcode() + operands(node, places));
            }
        }
        for (TryCatchBlockNode block : method.tryCatchBlocks) {
            // a handler behind the last instruction is the hooks' own
            if (places.get(block.handler) == place) {
                continue;
            }
            texts.add("try " + places.get(block.start) + " " + places.get(block.end) + " "
                    + places.get(block.handler) + " " + block.type);
        }
        return texts;
    }

    /** Removes what a hook's call was given: an array that was made for it, or a duplicate. */
    private static void dropArguments(MethodInsnNode call, LinkedList<AbstractInsnNode> kept) {
        if (List.of("point", "call", "raised").contains(call.name)) {
            while (kept.removeLast().getOpcode() != ANEWARRAY) {
                // down to where the array is made
            }
            kept.removeLast();
            kept.removeLast();
        } else if (call.name.equals("tried")) {
            kept.removeLast();
        }
    }

    private static String operands(AbstractInsnNode node, Map<LabelNode, Integer> places) {
        if (node instanceof MethodInsnNode call) {
            return " " + call.owner + "." + call.name + call.desc;
        } else if (node instanceof FieldInsnNode field) {
            return " " + field.owner + "." + field.name + field.desc;
        } else if (node instanceof TypeInsnNode type) {
            return " " + type.desc;
        } else if (node instanceof VarInsnNode variable) {
            return " " + variable.var;
        } else if (node instanceof IincInsnNode increment) {
            return " " + increment.var + " " + increment.incr;
        } else if (node instanceof IntInsnNode number) {
            return " " + number.operand;
        } else if (node instanceof LdcInsnNode constant) {
            return " " + constant.cst;
        } else if (node instanceof InvokeDynamicInsnNode dynamic) {
            return " " + dynamic.name + dynamic.desc + dynamic.bsm + List.of(dynamic.bsmArgs);
        } else if (node instanceof JumpInsnNode jump) {
            return " to " + places.get(jump.label);
        } else if (node instanceof TableSwitchInsnNode table) {
            return " " + table.min + " " + targets(table.labels, places) + places.get(table.dflt);
        } else if (node instanceof LookupSwitchInsnNode lookup) {
            return " " + lookup.keys + targets(lookup.labels, places) + places.get(lookup.dflt);
        } else if (node instanceof MultiANewArrayInsnNode array) {
            return " " + array.desc + " " + array.dims;
        }
        return "";
    }

    private static List<Integer> targets(List<LabelNode> labels, Map<LabelNode, Integer> places) {
        return labels.stream().map(places::get).toList();
    }
}
