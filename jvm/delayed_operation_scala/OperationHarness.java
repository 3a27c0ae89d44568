package kafka.server;

import java.util.concurrent.locks.Lock;
import subject.DelayedOperationHarness;
import subject.Worked;
import wheelproof.jvm.Scenario;

/** The harness with operations of this package's class. */
final class OperationHarness extends DelayedOperationHarness {
    OperationHarness(Scenario scenario) {
        super(scenario);
    }

    @Override
    protected Worked make(Lock guard) {
        return new WorkedOperation(guard);
    }
}
