package latch;

import wheelproof.jvm.Harness;
import wheelproof.jvm.Scenario;
import wheelproof.jvm.Shared;

/** How a scenario runs on the latch, and how the latch reads as the model's variables. */
final class LatchHarness extends Harness {
    private final Latch latch;

    LatchHarness(Scenario scenario) {
        latch = new Latch(Integer.parseInt(scenario.value("count")));
    }

    @Override
    public Object perform(String[] operation) {
        return switch (operation[0]) {
            case "count_down" -> {
                latch.countDown();
                yield null;
            }
            case "is_open" -> latch.isOpen();
            default -> throw new IllegalArgumentException(operation[0]);
        };
    }

    /** count, opened and owner, in the order of the model. */
    @Override
    public void shared(Shared out) {
        out.variable().number(latch.count());
        out.variable().truth(latch.isOpen());
        out.variable().thread(owner(latch));
    }
}
