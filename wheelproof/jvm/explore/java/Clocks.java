package wheelproof.explore;

/** Vector clocks: thread to number of its events. */
final class Clocks {
    private Clocks() { }

    static void join(int[] clock, int[] other) {
        if (other != null) {
            for (int index = 0; index < clock.length; index++) {
                if (other[index] > clock[index]) {
                    clock[index] = other[index];
                }
            }
        }
    }
}
