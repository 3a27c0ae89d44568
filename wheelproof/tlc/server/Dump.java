package wheelproof.tlc;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Writes the state graph in the form of TLC's option {@code -dump dot,actionlabels}.
 *
 * <p>TLC's own writer takes two fifths of a run. It breaks every value into lines for people, makes
 * the text of a value anew for each state that has it, and works out the fingerprint of a state
 * anew for each step from it. Where a temporal property is checked, it has the graph of that check
 * drawn as well.
 */
final class Dump implements InvocationHandler {
    private static final String REPLACED = "tlc2.util.DotStateWriter";
    /** How TLC calls an edge from a state to itself that its check of a property adds. */
    private static final String NO_STEP = "STUTTERING";
    private static final int KEPT = 100_000;

    private final String file;
    private final PrintWriter out;
    private final Field variables;
    private final Field values;
    private final Method name;
    private final Method fingerPrint;
    private final Method action;
    private final Map<Object, String> texts = new IdentityHashMap<>();
    private final Map<Object, String> attributes = new IdentityHashMap<>();
    private String[] names;
    private Object last;
    private String lastPrint;

    private Dump(ClassLoader loader, String file) throws ReflectiveOperationException, IOException {
        this.file = file;
        Class<?> state = loader.loadClass("tlc2.tool.TLCState");
        variables = state.getField("vars");
        values = loader.loadClass("tlc2.tool.TLCStateMut").getDeclaredField("values");
        values.setAccessible(true);
        name = loader.loadClass("tla2sany.semantic.SymbolNode").getMethod("getName");
        fingerPrint = state.getMethod("fingerPrint");
        action = loader.loadClass("tlc2.tool.Action").getMethod("getName");
        out = new PrintWriter(Files.newBufferedWriter(Path.of(file), StandardCharsets.UTF_8));
        out.write("strict digraph DiskGraph {\n");
    }

    /** Put such a writer in the place of TLC's, where that is to write a graph. */
    static void replace(Object tlc, ClassLoader loader)
            throws ReflectiveOperationException, IOException {
        Field writer = tlc.getClass().getDeclaredField("stateWriter");
        writer.setAccessible(true);
        Object own = writer.get(tlc);
        if (!own.getClass().getName().equals(REPLACED)) {
            return;
        }
        Class<?> type = loader.loadClass("tlc2.util.IStateWriter");
        String file = (String) type.getMethod("getDumpFileName").invoke(own);
        type.getMethod("close").invoke(own);
        Class<?>[] types = {type};
        writer.set(tlc, Proxy.newProxyInstance(loader, types, new Dump(loader, file)));
    }

    @Override
    public synchronized Object invoke(Object proxy, Method method, Object[] arguments)
            throws Throwable {
        switch (method.getName()) {
            case "writeState":
                write(arguments);
                return null;
            case "close":
                out.write("}");
                out.close();
                return null;
            case "getDumpFileName":
                return file;
            case "isNoop": // TLC asks this to know whether to draw the graph of a temporal check
                return true;
            case "isDot":
                return false;
            case "snapshot":
                return null;
            default:
                return method.invoke(this, arguments);
        }
    }

    private void write(Object[] arguments) throws ReflectiveOperationException {
        if (arguments.length == 1) {
            node(print(arguments[0]), arguments[0], "\",style = filled]\n");
            return;
        }
        if (arguments.length == 4 && String.valueOf(arguments[3]).equals(NO_STEP)) {
            return;
        }
        if (arguments.length != 4 || !action.getDeclaringClass().isInstance(arguments[3])) {
            throw new IllegalStateException("TLC writes what is no step of an action");
        }
        if (arguments[0] != last) {
            last = arguments[0];
            lastPrint = print(last);
        }
        String after = print(arguments[1]);
        out.write(lastPrint);
        out.write(" -> ");
        out.write(after);
        out.write(label(arguments[3]));
        if ((Boolean) arguments[2]) {
            node(after, arguments[1], "\"];\n");
        }
    }

    private String print(Object state) throws ReflectiveOperationException {
        return fingerPrint.invoke(state).toString();
    }

    private String label(Object taken) throws ReflectiveOperationException {
        String known = attributes.get(taken);
        if (known == null) {
            String form = " [label=\"%s\",color=\"black\",fontcolor=\"black\"];\n";
            known = String.format(form, action.invoke(taken));
            attributes.put(taken, known);
        }
        return known;
    }

    private void node(String print, Object state, String end) throws ReflectiveOperationException {
        if (names == null) {
            Object[] declared = (Object[]) variables.get(null);
            names = new String[declared.length];
            for (int i = 0; i < names.length; i++) {
                names[i] = (i == 0 ? "/\\\\ " : "\\n/\\\\ ") + name.invoke(declared[i]) + " = ";
            }
        }
        if (texts.size() > KEPT) {
            texts.clear();
        }
        Object[] own = (Object[]) values.get(state);
        out.write(print);
        out.write(" [label=\"");
        for (int i = 0; i < names.length; i++) {
            String text = texts.get(own[i]);
            if (text == null) {
                text = own[i].toString().replace("\\", "\\\\").replace("\"", "\\\"");
                texts.put(own[i], text);
            }
            out.write(names[i]);
            out.write(text);
        }
        out.write(end);
    }
}
