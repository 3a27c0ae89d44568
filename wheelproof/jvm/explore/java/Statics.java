package wheelproof.explore;

import java.util.HashMap;
import java.util.Map;

/** Numbers of static fields, which stand for their offsets. */
final class Statics {
    private static final Map<String, Integer> NUMBERS = new HashMap<>();

    private Statics() { }

    static synchronized long number(String owner, String field) {
        return NUMBERS.computeIfAbsent(owner + "." + field, key -> NUMBERS.size());
    }
}
