package org.apache.kafka.server.purgatory;

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
        if (guard != null) {
            throw new IllegalArgumentException("an operation has a lock of its own since 4.0");
        }
        return new WorkedOperation();
    }
}
