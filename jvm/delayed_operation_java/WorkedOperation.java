package org.apache.kafka.server.purgatory;

import java.util.concurrent.locks.Lock;
import subject.Work;
import subject.Worked;

/** The worked operation on Kafka's Java class, since 4.0. */
final class WorkedOperation extends DelayedOperation implements Worked {
    private final Work work = new Work();

    WorkedOperation() {
        super(1);
    }

    @Override
    public Work work() {
        return work;
    }

    @Override
    public void cancel() {
        work.cancel();
        super.cancel();
    }

    @Override
    public boolean tryComplete() {
        return work.tryComplete(this);
    }

    @Override
    public void onComplete() {
        work.onComplete();
    }

    @Override
    public void onExpiration() {
        work.onExpiration();
    }

    @Override
    public boolean attempt() {
        return safeTryComplete();
    }

    @Override
    public Lock guard() {
        return lock;
    }
}
