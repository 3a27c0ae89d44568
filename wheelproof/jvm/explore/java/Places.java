package wheelproof.explore;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.function.Consumer;

/** The locations of one object, by offset, and its monitor. They are those of one run. */
final class Places {
    /** The offset of an object as a whole, such as a collection of the JDK. */
    static final long WHOLE = -1;
    /** The offset of what a buffer has, beside its position. */
    static final long CONTENTS = -2;

    private static final IdentityHashMap<Object, Places> OTHERS = new IdentityHashMap<>();
    private static int number;

    private final int run = number;
    private long[] offsets = new long[4];
    private Location[] locations = new Location[4];
    private int count;
    private Monitor monitor;
    /** Of an array: all elements, as code without hooks accesses them; null where none has. */
    Location elements;

    /** An object of a class with hooks: it holds its own places. */
    public interface Held {
        Object wheelproof$places();

        void wheelproof$places(Object places);
    }

    /** A run begins: what was known of objects is forgotten. */
    static void begin() {
        number++;
        OTHERS.clear();
    }

    static Places of(Object object) {
        if (object instanceof Held held) {
            Places places = (Places) held.wheelproof$places();
            if (places == null || places.run != number) {
                places = new Places();
                held.wheelproof$places(places);
            }
            return places;
        }
        Places places = OTHERS.get(object);
        if (places == null) {
            places = new Places();
            OTHERS.put(object, places);
        }
        return places;
    }

    Location at(long offset) {
        for (int index = 0; index < count; index++) {
            if (offsets[index] == offset) {
                return locations[index];
            }
        }
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, 2 * count);
            locations = Arrays.copyOf(locations, 2 * count);
        }
        offsets[count] = offset;
        return locations[count++] = new Location();
    }

    void forEach(Consumer<Location> action) {
        for (int index = 0; index < count; index++) {
            action.accept(locations[index]);
        }
    }

    Monitor monitor() {
        if (monitor == null) {
            monitor = new Monitor();
        }
        return monitor;
    }
}
