package wheelproof.jvm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The hooked instructions of the loaded classes, and which of them the scenario labels. */
final class Sites {
    private final List<Site> all = new ArrayList<>();
    private final Map<String, Site> byKey = new LinkedHashMap<>();
    private final Map<String, Integer> counted = new HashMap<>();
    private Site[] byId = new Site[0];
    private Map<String, Integer> labels = Map.of();
    private boolean fine;

    /** A new site; its ordinal is the next of its kind. */
    Site add(String method, String instruction, Site.Kind kind, int above, int line) {
        String name = method + ":" + instruction;
        int ordinal = counted.merge(name, 1, Integer::sum) - 1;
        return put(name + "#" + ordinal, kind, above, line);
    }

    /** The site of a step that the harness performs itself. */
    Site ofHarness(String step) {
        Site known = byKey.get("harness:" + step);
        return known != null ? known : put("harness:" + step, Site.Kind.HARNESS, 0, 0);
    }

    private Site put(String key, Site.Kind kind, int above, int line) {
        Site site = new Site(all.size(), key, kind, above, line);
        all.add(site);
        byKey.put(key, site);
        byId = all.toArray(new Site[0]);
        label(site);
        return site;
    }

    /** Gives every site its label. {@code fine}: unlabelled accesses are steps too, as stutters. */
    void label(Map<String, Integer> chosen, boolean everyAccess) {
        labels = chosen;
        fine = everyAccess;
        all.forEach(this::label);
    }

    private void label(Site site) {
        boolean step = fine && site.kind != Site.Kind.INVOKE;
        site.label = labels.getOrDefault(site.key, step ? Site.STUTTER : Site.NONE);
    }

    Site get(int id) {
        return byId[id];
    }

    List<Site> all() {
        return all;
    }
}
