package wheelproof.explore;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import wheelproof.jvm.Json;

/** The process: lines of words come in on standard input, an answer goes out as JSON. */
public final class Main {
    static final PrintStream ERRORS = System.err;
    private static final PrintStream OUT = System.out;

    private final Map<String, String> options = new LinkedHashMap<>();
    private final List<URL> path = new ArrayList<>();
    private final List<Recorder.Switch> switches = new ArrayList<>();
    private final Set<String> visible = new LinkedHashSet<>();

    private Main() { }

    public static void main(String[] arguments) throws Throwable {
        PrintStream none = new PrintStream(OutputStream.nullOutputStream());
        System.setOut(none);
        System.setErr(none);
        Main main = new Main();
        Map<String, Object> answer;
        try {
            main.read();
            answer = main.answer();
        } catch (IllegalArgumentException error) {
            answer = new LinkedHashMap<>(Map.of("answer", "unusable", "reason",
                    error.getMessage()));
        } catch (NoSuchMethodException error) {
            answer = new LinkedHashMap<>(Map.of("answer", "unusable", "reason",
                    main.options.get("harness") + " has no constructor without arguments"));
        } catch (ClassNotFoundException | LinkageError error) {
            answer = new LinkedHashMap<>(Map.of("answer", "broken", "reason",
                    String.valueOf(error.getMessage())));
        }
        OUT.write(Json.of(answer).getBytes(StandardCharsets.UTF_8));
        OUT.flush();
        Runtime.getRuntime().halt(0);
    }

    /** Words are separated by tabs: a name of what follows, and its values. */
    private void read() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in,
                StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split("\t", -1);
            switch (words[0]) {
                case "path" -> path.add(new File(words[1]).toURI().toURL());
                case "switch" -> switches.add(new Recorder.Switch(words[1], words[2],
                        Integer.parseInt(words[3]), words[4]));
                case "visible" -> visible.add(words[1]);
                default -> options.put(words[0], words[1]);
            }
        }
    }

    private Map<String, Object> answer() throws ReflectiveOperationException, IOException {
        Mapping mapping = new Mapping(!options.containsKey("copies"));
        List<String> refused = Refusals.in(path.get(0), mapping);
        if (!refused.isEmpty()) {
            return new LinkedHashMap<>(Map.of("answer", "refused", "reason", refused.get(0)));
        }
        Loader loader = new Loader(path.toArray(new URL[0]), mapping);
        Thread.currentThread().setContextClassLoader(loader);
        Class<?> type = loader.loadClass(options.get("harness"));
        Integer bound = options.containsKey("bound") ? Integer.valueOf(options.get("bound")) : null;
        long most = Long.parseLong(options.getOrDefault("executions", "1"));
        long seed = Long.parseLong(options.getOrDefault("seed", "0"));
        if (options.containsKey("replay")) {
            return Report.of(replay(type), loader);
        } else if (!Program.isRace(type)) {
            return Report.of(new Campaign(type, bound, most, seed).search(), loader);
        }
        Search search = new Search(new Race(type), bound, most, seed);
        search.search();
        return Report.of(search, loader);
    }

    private Search replay(Class<?> type) throws NoSuchMethodException {
        List<String> lines = visible.stream().filter(line -> line.startsWith(History.THREAD))
                .toList();
        Program program = lines.isEmpty() ? new Race(type) : History.of(type, lines);
        Search search = new Search(program, null, 1, 0);
        search.execution.run(program, new Calm(), null);
        show(search.execution);
        if (program instanceof History history) {
            history.prepare();
        }
        search.replay(switches);
        return search;
    }

    /** The places of a recorded order are visible, and the kinds of operations that it had. */
    private void show(Execution execution) {
        for (Site site : Site.all()) {
            site.visible |= visible.contains(site.key);
        }
        execution.unlocks = visible.contains("unlock");
        execution.interrupts = visible.contains("interrupt");
        execution.ends = visible.contains("end");
        visible.stream().filter(word -> word.startsWith(Search.PASS)).forEach(word ->
                execution.passes = Integer.parseInt(word.substring(Search.PASS.length())));
    }
}
