package wheelproof.explore;

import java.util.Random;

/** Each thread that can move is as likely as the others. */
final class Uniform extends Scheduler {
    private final Random random;

    Uniform(Random random) {
        this.random = random;
    }

    @Override
    int pick(Execution execution, int enabled) {
        int left = enabled;
        for (int skip = random.nextInt(Integer.bitCount(enabled)); skip > 0; skip--) {
            left &= left - 1;
        }
        return Integer.numberOfTrailingZeros(left);
    }
}
