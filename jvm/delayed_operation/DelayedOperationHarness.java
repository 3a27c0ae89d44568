package subject;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import wheelproof.jvm.Harness;
import wheelproof.jvm.Scenario;
import wheelproof.jvm.Shared;

/** A scenario of DelayedOperation. A subclass for each generation of the class makes operations. */
public abstract class DelayedOperationHarness extends Harness {
    private final Map<String, AtomicBoolean> conditions = new LinkedHashMap<>();
    private final Map<String, Worked> operations = new LinkedHashMap<>();
    private final ReentrantLock outer = new ReentrantLock();

    protected DelayedOperationHarness(Scenario scenario) {
        for (String name : scenario.keys("protocol")) {
            for (String condition : scenario.values("needs." + name)) {
                conditions.computeIfAbsent(condition, key -> new AtomicBoolean());
            }
            operations.put(name, make());
        }
        operations.forEach((name, operation) -> {
            List<AtomicBoolean> needed = new ArrayList<>();
            scenario.values("needs." + name).forEach(each -> needed.add(conditions.get(each)));
            List<String> following = scenario.values("completes." + name);
            operation.work().set(needed.toArray(new AtomicBoolean[0]),
                    scenario.values("locking").contains(name) ? outer : null,
                    scenario.values("raises").contains(name),
                    following.isEmpty() ? null : operations.get(following.get(0)));
        });
    }

    /** An operation of this generation. */
    protected abstract Worked make();

    @Override
    public final Object perform(String[] operation) {
        return switch (operation[0]) {
            case "deliver" -> deliver(conditions.get(operation[1]), operations.get(operation[2]));
            case "deliver_holding" ->
                    deliverHolding(conditions.get(operation[1]), operations.get(operation[2]));
            case "attempt" -> attempt(operations.get(operation[1]));
            case "hold" -> hold(operations.get(operation[1]).guard());
            case "expire" -> expire(operations.get(operation[1]));
            default -> throw new IllegalArgumentException(operation[0]);
        };
    }

    private Object deliver(AtomicBoolean condition, Worked operation) {
        condition.set(true);
        return attempt(operation);
    }

    private Object deliverHolding(AtomicBoolean condition, Worked operation) {
        outer.lock();
        try {
            condition.set(true);
            return attempt(operation);
        } finally {
            outer.unlock();
        }
    }

    private Object attempt(Worked operation) {
        try {
            return operation.attempt();
        } catch (Failed failed) {
            return failed.result();
        }
    }

    private Object hold(Lock lock) {
        lock.lock();
        lock.unlock();
        return null;
    }

    private Object expire(Worked operation) {
        try {
            operation.run();
            return null;
        } catch (Failed failed) {
            return failed.result();
        }
    }

    @Override
    public final String name(Object object) {
        for (Map<String, ?> named : List.of(conditions, operations)) {
            for (Map.Entry<String, ?> each : named.entrySet()) {
                if (each.getValue() == object) {
                    return each.getKey();
                }
            }
        }
        return object == outer ? "outer" : null;
    }

    @Override
    public final void shared(Shared out) {
        out.variable();
        conditions.values().forEach(condition -> out.truth(condition.get()));
        out.variable();
        operations.values().forEach(operation -> out.truth(operation.flag("completed")));
        out.variable();
        operations.values().forEach(operation -> out.truth(operation.flag("tryCompletePending")));
        out.variable();
        operations.values().forEach(operation -> monitor(out, operation.guard()));
        out.variable();
        monitor(out, outer);
        out.variable();
        operations.values().forEach(operation -> out.truth(operation.work().armed.get()));
        out.variable();
        operations.values().forEach(operation -> out.number(operation.work().completions.get()));
        out.variable();
        operations.values().forEach(operation -> out.number(operation.work().expirations.get()));
    }

    private void monitor(Shared out, Lock lock) {
        if (((ReentrantLock) lock).isLocked() != (owner(lock) != 0)) {
            throw new IllegalStateException("the real lock is not as the table has it");
        }
        out.monitor(owner(lock), depth(lock));
    }
}
