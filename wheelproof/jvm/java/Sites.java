package wheelproof.jvm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The hooked instructions of the loaded classes, and which of them the scenario labels. */
final class Sites {
    private final List<Site> all = new ArrayList<>();
    private final Map<String, Site> byKey = new LinkedHashMap<>();
    private final Map<String, Integer> counted = new HashMap<>();
    private Site[] byId = new Site[0];
    private Map<String, Integer> labels = Map.of();
    private Set<String> within = Set.of();
    private boolean fine;

    /** A new site; its ordinal is the next of its kind. */
    Site add(String method, String instruction, Site.Kind kind, int above, int line) {
        return add(method, new Operation(kind, instruction, above, false), above, line);
    }

    /** A new site of an operation. */
    Site add(String method, Operation operation, int above, int line) {
        String name = method + ":" + operation.name();
        int ordinal = counted.merge(name, 1, Integer::sum) - 1;
        return put(new Site(all.size(), name + "#" + ordinal, operation.kind(), above, line,
                operation.field(), operation.order()));
    }

    /** The site of a step that the harness performs itself. */
    Site ofHarness(String step) {
        Site known = byKey.get("harness:" + step);
        return known != null ? known : put(new Site(all.size(),
                "harness:" + step, Site.Kind.HARNESS, 0, 0, null, Order.Call.NOTHING));
    }

    private Site put(Site site) {
        all.add(site);
        byKey.put(site.key, site);
        byId = all.toArray(new Site[0]);
        label(site);
        return site;
    }

    /**
     * Gives every site its label. {@code fine}: unlabelled accesses are steps too, as stutters, but
     * those {@code within} a step.
     */
    void label(Map<String, Integer> chosen, boolean everyAccess, Set<String> parts) {
        labels = chosen;
        within = parts;
        fine = everyAccess;
        all.forEach(this::label);
    }

    private void label(Site site) {
        boolean step = fine && site.kind != Site.Kind.INVOKE && site.kind != Site.Kind.INIT
                && !within.contains(site.key);
        site.label = labels.getOrDefault(site.key, step ? Site.STUTTER : Site.NONE);
    }

    Site get(int id) {
        return byId[id];
    }

    List<Site> all() {
        return all;
    }
}
