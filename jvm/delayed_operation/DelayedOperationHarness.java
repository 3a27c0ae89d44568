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
    private static final String OUTER = "outer";

    private final Map<String, AtomicBoolean> conditions = new LinkedHashMap<>();
    private final Map<String, Worked> operations = new LinkedHashMap<>();
    /** The callers' locks. */
    private final Map<String, ReentrantLock> outer = new LinkedHashMap<>();

    protected DelayedOperationHarness(Scenario scenario) {
        scenario.values("locks").forEach(name -> outer.put(name, new ReentrantLock()));
        for (String name : scenario.keys("protocol")) {
            for (String condition : scenario.values("needs." + name)) {
                conditions.computeIfAbsent(condition, key -> new AtomicBoolean());
            }
            operations.put(name, make(outerOf(scenario, "guard." + name, null)));
        }
        operations.forEach((name, operation) -> {
            List<AtomicBoolean> needed = new ArrayList<>();
            scenario.values("needs." + name).forEach(each -> needed.add(conditions.get(each)));
            List<String> following = scenario.values("completes." + name);
            operation.work().set(needed.toArray(new AtomicBoolean[0]),
                    scenario.values("locking").contains(name)
                            ? outerOf(scenario, "outer_of." + name, OUTER) : null,
                    scenario.values("raises").contains(name),
                    following.isEmpty() ? null : operations.get(following.get(0)));
        });
    }

    /** The callers' lock that a field names; without the field that of the default, or null. */
    private ReentrantLock outerOf(Scenario scenario, String field, String name) {
        List<String> named = scenario.values(field);
        return outer.get(named.isEmpty() ? name : named.get(0));
    }

    /** An operation of this generation; {@code guard}: the lock that it takes for its own. */
    protected abstract Worked make(Lock guard);

    @Override
    public final Object perform(String[] operation) {
        return switch (operation[0]) {
            case "deliver" -> deliver(conditions.get(operation[1]), operations.get(operation[2]));
            case "deliver_holding" -> {
                int last = operation.length - 1;
                yield deliverHolding(conditions.get(operation[1]),
                        outer.get(last == 3 ? operation[2] : OUTER),
                        operations.get(operation[last]));
            }
            case "deliver_after" -> deliverAfter(conditions.get(operation[1]),
                    outer.get(operation[2]), operations.get(operation[3]));
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

    private Object deliverHolding(AtomicBoolean condition, ReentrantLock lock, Worked operation) {
        lock.lock();
        try {
            condition.set(true);
            return attempt(operation);
        } finally {
            lock.unlock();
        }
    }

    private Object deliverAfter(AtomicBoolean condition, ReentrantLock lock, Worked operation) {
        lock.lock();
        condition.set(true);
        lock.unlock();
        return attempt(operation);
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
        for (Map<String, ?> named : List.of(conditions, operations, outer)) {
            for (Map.Entry<String, ?> each : named.entrySet()) {
                if (each.getValue() == object) {
                    return each.getKey();
                }
            }
        }
        return null;
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
        operations.values().forEach(operation -> own(out, operation.guard()));
        out.variable();
        outer.values().forEach(lock -> monitor(out, lock));
        out.variable();
        operations.values().forEach(operation -> out.truth(operation.work().armed.get()));
        out.variable();
        operations.values().forEach(operation -> out.number(operation.work().completions.get()));
        out.variable();
        operations.values().forEach(operation -> out.number(operation.work().expirations.get()));
    }

    /** A lock of an operation's own. One of the callers' is shown as such. */
    private void own(Shared out, Lock lock) {
        if (outer.containsValue(lock)) {
            out.monitor(0, 0);
        } else {
            monitor(out, lock);
        }
    }

    private void monitor(Shared out, Lock lock) {
        if (((ReentrantLock) lock).isLocked() != (owner(lock) != 0)) {
            throw new IllegalStateException("the real lock is not as the table has it");
        }
        out.monitor(owner(lock), depth(lock));
    }
}
