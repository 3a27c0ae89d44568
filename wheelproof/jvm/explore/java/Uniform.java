package wheelproof.explore;

import java.util.Random;

/** Each thread that can move is as likely as the others; time-outs are rare. */
final class Uniform extends Scheduler {
    /** One choice of so many may be a time-out. */
    static final int RARE = 16;

    private final Random random;

    Uniform(Random random) {
        this.random = random;
    }

    @Override
    int pick(Execution execution, int enabled) {
        int left = random.nextInt(RARE) == 0 ? enabled : prompt(execution, enabled);
        for (int skip = random.nextInt(Integer.bitCount(left)); skip > 0; skip--) {
            left &= left - 1;
        }
        return Integer.numberOfTrailingZeros(left);
    }
}
