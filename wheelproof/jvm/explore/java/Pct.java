package wheelproof.explore;

import java.util.Random;

/** Priorities that are drawn, and fall at a few operations that are drawn, too. */
final class Pct extends Scheduler {
    private static final int CHANGES = 3;

    private final Random random;
    private final int[] priorities = new int[Strand.MOST];
    private final int[] falls = new int[CHANGES];
    private int longest = 20;
    private int lowest;

    Pct(Random random) {
        this.random = random;
    }

    @Override
    void begin(Execution execution) {
        for (int index = 0; index < priorities.length; index++) {
            int other = random.nextInt(index + 1);
            priorities[index] = priorities[other];
            priorities[other] = index + 1;
        }
        for (int index = 0; index < falls.length; index++) {
            falls[index] = random.nextInt(longest);
        }
        lowest = 0;
    }

    @Override
    int pick(Execution execution, int enabled) {
        int now = execution.events.size();
        longest = Math.max(longest, now + 1);
        for (int fall : falls) {
            if (fall == now && now > 0) {
                priorities[execution.last] = --lowest;
            }
        }
        int can = random.nextInt(Uniform.RARE) == 0 ? enabled : prompt(execution, enabled);
        int best = -1;
        for (int index = 0; index < execution.count; index++) {
            boolean is = (can & 1 << index) != 0;
            if (is && (best < 0 || priorities[index] > priorities[best])) {
                best = index;
            }
        }
        return best;
    }
}
