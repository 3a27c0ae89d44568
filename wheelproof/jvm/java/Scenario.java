package wheelproof.jvm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A scenario of the specification's TOML: fields by their paths, and thread programs. */
public final class Scenario {
    /** The label of the steps of operations below. */
    static final String BELOW = "(below)";

    final List<String> threads = new ArrayList<>();
    final List<String[][]> programs = new ArrayList<>();
    final Map<String, Integer> names = new LinkedHashMap<>();
    final List<String> labels = new ArrayList<>(List.of("(stutter)"));
    private final Map<String, Integer> numberOfLabel = new HashMap<>(Map.of("(stutter)", 0));
    final Map<String, Integer> labelOfSite = new LinkedHashMap<>();
    /** Site of a call -> the model's label of which the called operation is the whole step. */
    final Map<String, String> insideOf = new HashMap<>();
    /** Sites that are no step of their own where each access is one. */
    final Set<String> within = new HashSet<>();
    boolean fine;
    private final Map<String, List<String>> fields = new LinkedHashMap<>();

    /** One line of the request: a word and its values, apart by tabs. */
    void add(String[] words) {
        List<String> values = List.of(words).subList(2, words.length);
        switch (words[0]) {
            case "field" -> fields.put(words[1], values);
            case "name" -> names.put(words[1], names.size() + 1);
            case "label" -> labelOfSite.put(words[2], label(words[1]));
            case "inside" -> insideOf.put(words[2], words[1]);
            case "thread" -> {
                threads.add(words[1]);
                programs.add(values.stream().map(text -> text.split(" ")).toArray(String[][]::new));
            }
            case "within" -> within.add(words[1]);
            case "fine" -> fine = Boolean.parseBoolean(words[1]);
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    /** The number of a label, which may be new. */
    int label(String name) {
        return numberOfLabel.computeIfAbsent(name, key -> {
            labels.add(key);
            return labels.size() - 1;
        });
    }

    /** The values of a field; none where it is absent. */
    public List<String> values(String path) {
        return fields.getOrDefault(path, List.of());
    }

    /** The value of a field. */
    public String value(String path) {
        return values(path).get(0);
    }

    /** The names below a field that is a table, in their order. */
    public List<String> keys(String path) {
        List<String> keys = new ArrayList<>();
        for (String key : fields.keySet()) {
            if (key.startsWith(path + ".")) {
                keys.add(key.substring(path.length() + 1));
            }
        }
        return keys;
    }

    /** The names of the threads, in their order. */
    public List<String> threads() {
        return List.copyOf(threads);
    }

    /** Each operation of each thread's program. */
    public List<String[]> operations() {
        List<String[]> all = new ArrayList<>();
        programs.forEach(program -> all.addAll(List.of(program)));
        return all;
    }
}
