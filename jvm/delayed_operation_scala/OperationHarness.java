package kafka.server;

import subject.DelayedOperationHarness;
import subject.Worked;
import wheelproof.jvm.Scenario;

/** The harness with operations of this package's class. */
final class OperationHarness extends DelayedOperationHarness {
    OperationHarness(Scenario scenario) {
        super(scenario);
    }

    @Override
    protected Worked make() {
        return new WorkedOperation();
    }
}
