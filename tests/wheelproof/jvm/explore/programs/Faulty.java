import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Programs that each have one fault, which some order of their threads shows. */
class Faulty {
    static void both(Runnable one, Runnable other) throws InterruptedException {
        Thread first = new Thread(one);
        Thread second = new Thread(other);
        first.start();
        second.start();
        first.join();
        second.join();
    }
}

class LostUpdate {
    int count;

    void run() throws Exception {
        Faulty.both(() -> count++, () -> count++);
        assert count == 2;
    }
}

class LostStatic {
    static int count;

    void run() throws Exception {
        count = 0;
        Faulty.both(() -> count++, () -> count++);
        assert count == 2;
    }
}

class LostLong {
    final long[] counts = new long[1];
    double sum;

    void run() throws Exception {
        Faulty.both(() -> counts[0]++, () -> {
            counts[0]++;
            sum = 1.5;
        });
        assert counts[0] == 2;
    }
}

class LockOrder {
    final Object one = new Object();
    final Object other = new Object();

    static void nested(Object outer, Object inner) {
        synchronized (outer) {
            synchronized (inner) {
                outer.hashCode();
            }
        }
    }

    void run() throws Exception {
        Faulty.both(() -> nested(one, other), () -> nested(other, one));
    }
}

/** Static monitors, taken in two orders. */
class StaticLocks {
    static class Other {
        static synchronized void first() {
            StaticLocks.second();
        }

        static synchronized void last() { }
    }

    static synchronized void second() { }

    static synchronized void both() {
        Other.last();
    }

    void run() throws Exception {
        Faulty.both(Other::first, StaticLocks::both);
    }
}

/** One notify for two that wait. */
class NotifyOne {
    boolean ready;

    synchronized void pass() {
        try {
            while (!ready) {
                wait();
            }
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }

    synchronized void open() {
        ready = true;
        notify();
    }

    void run() throws Exception {
        Thread one = new Thread(this::pass);
        Thread other = new Thread(this::pass);
        one.start();
        other.start();
        open();
        one.join();
        other.join();
    }
}

/** The notification comes before the wait. */
class EarlySignal {
    final ReentrantLock lock = new ReentrantLock();
    final Condition opened = lock.newCondition();

    void run() throws Exception {
        Thread waiter = new Thread(() -> {
            lock.lock();
            try {
                opened.awaitUninterruptibly();
            } finally {
                lock.unlock();
            }
        });
        waiter.start();
        lock.lock();
        opened.signal();
        lock.unlock();
        waiter.join();
    }
}

/** Two threads, each with a tryLock: one of them may do nothing. */
class TriesOnce {
    final ReentrantLock lock = new ReentrantLock();
    int count;

    void add() {
        if (lock.tryLock()) {
            count++;
            lock.unlock();
        }
    }

    void run() throws Exception {
        Faulty.both(this::add, this::add);
        assert count == 2;
    }
}

class ReadsWithoutLock {
    final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    int count;

    void add() {
        lock.readLock().lock();
        count++;
        lock.readLock().unlock();
    }

    void run() throws Exception {
        Faulty.both(this::add, this::add);
        assert count == 2;
    }
}

class LooksThenPuts {
    final ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();

    void add() {
        Integer count = counts.get("a");
        counts.put("a", count == null ? 1 : count + 1);
    }

    void run() throws Exception {
        Faulty.both(this::add, this::add);
        assert counts.get("a") == 2;
    }
}

/** The iterator removes by the key alone what has been replaced meanwhile. */
class RemovesNewer {
    final ConcurrentHashMap<String, Integer> times = new ConcurrentHashMap<>(Map.of("a", 1));

    void expire() {
        Iterator<Map.Entry<String, Integer>> entries = times.entrySet().iterator();
        while (entries.hasNext()) {
            if (entries.next().getValue() == 1) {
                entries.remove();
            }
        }
    }

    void run() throws Exception {
        Faulty.both(this::expire, () -> times.put("a", 2));
        assert times.containsKey("a");
    }
}

class HashMapOfTwo {
    final Map<String, Integer> counts = new HashMap<>();

    void run() throws Exception {
        Faulty.both(() -> counts.merge("a", 1, Integer::sum), () -> {
            Integer count = counts.get("a");
            counts.put("a", count == null ? 1 : count + 1);
        });
        assert counts.get("a") == 2;
    }
}

/** A view of a list is read while the list is written. */
class ReadsView {
    final List<Integer> list = new ArrayList<>();
    int seen = -1;

    void run() throws Exception {
        List<Integer> view = java.util.Collections.unmodifiableList(list);
        Faulty.both(() -> list.add(1), () -> seen = view.size());
        assert seen == 1;
    }
}

class TwoSets {
    final AtomicInteger value = new AtomicInteger();

    void run() throws Exception {
        Faulty.both(() -> value.set(value.get() + 1), () -> value.set(value.get() + 1));
        assert value.get() == 2;
    }
}

class Updater {
    static final AtomicIntegerFieldUpdater<Updater> COUNT =
            AtomicIntegerFieldUpdater.newUpdater(Updater.class, "count");
    volatile int count;

    void add() {
        COUNT.set(this, COUNT.get(this) + 1);
    }

    void run() throws Exception {
        Faulty.both(this::add, this::add);
        assert count == 2;
    }
}

/** The value comes back: a comparison does not see what was between. */
class ComesBack {
    final AtomicReference<String> top = new AtomicReference<>("a");
    boolean between;

    void run() throws Exception {
        Faulty.both(() -> {
            String seen = top.get();
            boolean before = between;
            if (top.compareAndSet(seen, "c")) {
                assert before == between;
            }
        }, () -> {
            top.set("b");
            between = true;
            top.set("a");
        });
    }
}
