package wheelproof.explore;

import java.io.File;
import java.net.URL;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;
import wheelproof.jvm.Json;

/** Runs many programs in one process: explored, or compared with a search of all orders. */
public final class Driver {
    private static final Execution RUN = Execution.CURRENT;
    /** Runs of a search without reduction; a program with more is left out. */
    private static final int FULL = 8_000;

    private Driver() { }

    public static void main(String[] words) throws Exception {
        java.io.PrintStream out = System.out;
        System.setOut(new java.io.PrintStream(java.io.OutputStream.nullOutputStream()));
        URL[] path = {new File(words[1]).toURI().toURL()};
        boolean substitutes = !words[0].equals("copies");
        Loader loader = new Loader(path, new Mapping(substitutes));
        List<Object> lines = new ArrayList<>();
        if (words[0].equals("tampered")) {
            lines = new Tampering(loader).all();
        } else if (words[0].equals("packages")) {
            lines = List.of(Map.of("names", new Packages(new Mapping(true)).names()));
        } else if (words[0].equals("types")) {
            lines = List.of(Map.of("names", Types.overlooked(Calls::isOpaque),
                    "by_package", Types.overlooked(name -> name.startsWith("java/util/"))));
        } else if (words[0].equals("late")) {
            for (int at = 2; at < words.length; at++) {
                lines.add(late(loader, words[at]));
            }
        } else if (words[0].equals("outcomes")) {
            for (int at = 2; at < words.length; at++) {
                forget();
                Race program = new Race(loader.loadClass(words[at]));
                lines.add(Map.of("name", words[at], "outcomes",
                        List.copyOf(outcomes(program, SourceDpor::new, new int[1]))));
            }
        } else if (words[0].equals("deaf")) {
            lines = deaf(new Race(loader.loadClass("Drawn")), words);
        } else if (words[0].equals("oracle") || words[0].equals("blind")) {
            boolean blind = words[0].equals("blind");
            Race program = new Race(loader.loadClass("Drawn"));
            int first = Integer.parseInt(words[2]);
            for (int seed = first; seed < first + Integer.parseInt(words[3]); seed++) {
                System.setProperty("drawn", String.valueOf(seed));
                lines.add(compared(program, seed, blind ? List.of(Blind::new)
                        : List.of(SourceDpor::new, () -> new BoundedStates(Integer.MAX_VALUE))));
            }
        } else {
            for (int at = 2; at < words.length; at++) {
                lines.add(explored(loader, words[at]));
            }
        }
        out.println(Json.of(lines));
        out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static void forget() {
        Site.all().forEach(site -> site.visible = false);
        RUN.unlocks = false;
        RUN.interrupts = false;
        RUN.ends = false;
        RUN.shared = false;
        RUN.unseen = null;
        RUN.runs = 0;
        RUN.passes = 1;
        RUN.conflicts.changed = false;
        RUN.conflicts.races.clear();
    }

    private static Map<String, Object> explored(Loader loader, String name) throws Exception {
        forget();
        Search search = new Search(new Race(loader.loadClass(name)), null, 20_000, 0);
        search.search();
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("name", name);
        line.put("answer", search.answer);
        line.put("reason", search.reason);
        line.put("kind", search.failure == null ? "" : search.failure.kind());
        line.put("executions", RUN.runs);
        line.put("compared", loader.compared);
        return line;
    }

    /** The first thread that can move; shortly before the limit of a run, the last one. */
    private static final class Late extends Scheduler {
        @Override
        int pick(Execution execution, int enabled) {
            boolean isLate = execution.events.size() > execution.mostPoints - 2;
            return isLate ? 31 - Integer.numberOfLeadingZeros(enabled)
                    : Integer.numberOfTrailingZeros(enabled);
        }
    }

    private static Map<String, Object> late(Loader loader, String name) throws Exception {
        forget();
        Race program = new Race(loader.loadClass(name));
        Result result = RUN.run(program, new Late(), null);
        return Map.of("name", name, "ending", result.ending().toString(), "kind", result.kind());
    }

    /** The outcomes of all runs of a search, and how many there were; it may be cut. */
    private static TreeSet<String> outcomes(Race program, Supplier<Systematic> fresh,
            int[] runs) {
        while (true) {
            TreeSet<String> all = new TreeSet<>();
            Systematic scheduler = fresh.get();
            runs[0] = 0;
            boolean left = true;
            while (left && !RUN.conflicts.changed && runs[0] < FULL) {
                Result result = RUN.run(program, scheduler, null);
                runs[0]++;
                switch (result.ending()) {
                    case DONE -> all.add(program.outcome());
                    case REDUNDANT -> { }
                    case FAILED -> all.add(result.kind());
                    default -> all.add(result.ending() + " " + result.message());
                }
                left = scheduler.advance();
            }
            if (!RUN.conflicts.changed) {
                return all;
            }
            RUN.conflicts.changed = false;
        }
    }

    /** A search that tries no thread twice: a negative control. */
    private static final class Blind extends Systematic {
        @Override
        int first(Node node) {
            return 1 << node.chosen;
        }
    }

    /**
     * The primitive of an operation: its kind, and for an access the class and what it reads. All
     * fields of a collection are one: a call accesses several.
     */
    private static String primitive(Strand strand) {
        Site site = strand.site;
        if (site.copied && !site.type.contains("/concurrent/")) {
            return strand.kind + " " + Site.simple(site.type).split("\\$", 2)[0];
        }
        String type = site.type.isEmpty() ? "" : Site.simple(site.type) + " ";
        return strand.kind + " " + type + site.target;
    }

    /** A search that does not see the conflicts of one primitive: a negative control. */
    private static final class Deaf extends SourceDpor {
        private final String primitive;
        private final TreeSet<String> all;

        Deaf(String primitive, TreeSet<String> all) {
            this.primitive = primitive;
            this.all = all;
        }

        @Override
        void race(Execution execution, int earlier, int later, Strand strand) {
            String own = primitive(strand);
            all.add(own);
            if (!own.equals(primitive)) {
                super.race(execution, earlier, later, strand);
            }
        }
    }

    /** Each primitive of the programs, and the first of them in which a deaf search misses some. */
    private static List<Object> deaf(Race program, String[] words) {
        Map<String, Object> missed = new java.util.TreeMap<>();
        for (int at = 2; at < words.length; at++) {
            int seed = Integer.parseInt(words[at]);
            System.setProperty("drawn", words[at]);
            forget();
            TreeSet<String> primitives = new TreeSet<>();
            int[] runs = new int[1];
            TreeSet<String> all = outcomes(program, () -> new Deaf("", primitives), runs);
            for (String primitive : runs[0] < FULL ? List.copyOf(primitives) : List.<String>of()) {
                Object known = missed.getOrDefault(primitive, -1);
                if (known.equals(-1)) {
                    boolean loses = !outcomes(program, () -> new Deaf(primitive, primitives), runs)
                            .containsAll(all);
                    missed.put(primitive, loses ? seed : -1);
                }
            }
        }
        List<Object> lines = new ArrayList<>();
        missed.forEach((primitive, seed) ->
                lines.add(Map.of("primitive", primitive, "seed", seed)));
        return lines;
    }

    /** A search that tries each thread: without any reduction. */
    private static final class Every extends Systematic {
        @Override
        int first(Node node) {
            return node.enabled;
        }
    }

    /** {@code missing}: outcomes that one of the reductions does not have. */
    private static Map<String, Object> compared(Race program, int seed,
            List<Supplier<Systematic>> reductions) {
        forget();
        int[] reduced = new int[1];
        int[] full = new int[1];
        List<Integer> counts = new ArrayList<>();
        List<TreeSet<String>> few = new ArrayList<>();
        for (Supplier<Systematic> reduction : reductions) {
            few.add(outcomes(program, reduction, reduced));
            counts.add(reduced[0]);
        }
        TreeSet<String> all = outcomes(program, Every::new, full);
        TreeSet<String> missing = new TreeSet<>();
        TreeSet<String> more = new TreeSet<>();
        for (TreeSet<String> some : few) {
            all.stream().filter(outcome -> !some.contains(outcome)).forEach(missing::add);
            some.stream().filter(outcome -> !all.contains(outcome)).forEach(more::add);
        }
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("seed", seed);
        line.put("reduced", counts.get(0));
        line.put("full", full[0]);
        counts.add(full[0]);
        line.put("ended", counts.stream().allMatch(count -> count < FULL));
        line.put("outcomes", all.size());
        line.put("missing", List.copyOf(missing));
        line.put("more", List.copyOf(more));
        return line;
    }
}
