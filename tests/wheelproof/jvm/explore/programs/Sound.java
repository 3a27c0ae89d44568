import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/** Programs without a fault: every order of their threads is run. */
class Sound {
    static void both(Runnable one, Runnable other) throws InterruptedException {
        Thread first = new Thread(one);
        Thread second = new Thread(other);
        first.start();
        second.start();
        first.join();
        second.join();
    }
}

class Counts {
    int count;

    synchronized void add() {
        count++;
    }

    void run() throws Exception {
        Sound.both(this::add, this::add);
        assert count == 2;
    }
}

class NotifiesAll {
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
        notifyAll();
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

class SignalsInTime {
    final ReentrantLock lock = new ReentrantLock();
    final Condition opened = lock.newCondition();
    boolean open;

    void run() throws Exception {
        Thread waiter = new Thread(() -> {
            lock.lock();
            try {
                while (!open) {
                    opened.awaitUninterruptibly();
                }
            } finally {
                lock.unlock();
            }
        });
        waiter.start();
        lock.lock();
        open = true;
        opened.signal();
        lock.unlock();
        waiter.join();
    }
}

class CountsByLock {
    final ReentrantLock lock = new ReentrantLock();
    int count;

    void add() {
        lock.lock();
        count++;
        lock.unlock();
    }

    void run() throws Exception {
        Sound.both(this::add, this::add);
        assert count == 2;
    }
}

class WritesUnderLock {
    final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    int count;

    void run() throws Exception {
        Sound.both(() -> {
            lock.writeLock().lock();
            count++;
            lock.writeLock().unlock();
        }, () -> {
            lock.readLock().lock();
            assert count >= 0;
            lock.readLock().unlock();
        });
        assert count == 1;
    }
}

class Merges {
    final ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();

    void run() throws Exception {
        Sound.both(() -> counts.merge("a", 1, Integer::sum),
                () -> counts.merge("a", 1, Integer::sum));
        assert counts.get("a") == 2;
    }
}

class Increments {
    final AtomicInteger value = new AtomicInteger();

    void run() throws Exception {
        Sound.both(value::incrementAndGet, value::incrementAndGet);
        assert value.get() == 2;
    }
}

class LatchOfTwo {
    final CountDownLatch latch = new CountDownLatch(2);
    volatile int one;
    volatile int other;

    void run() throws Exception {
        Thread first = new Thread(() -> {
            one = 1;
            latch.countDown();
        });
        Thread second = new Thread(() -> {
            other = 1;
            latch.countDown();
        });
        first.start();
        second.start();
        latch.await();
        assert one + other == 2;
    }
}

class SemaphoreOfOne {
    final Semaphore semaphore = new Semaphore(1);
    int count;

    void add() {
        semaphore.acquireUninterruptibly();
        count++;
        semaphore.release();
    }

    void run() throws Exception {
        Sound.both(this::add, this::add);
        assert count == 2;
    }
}

class Queue {
    final LinkedBlockingQueue<Integer> queue = new LinkedBlockingQueue<>(1);

    void run() throws Exception {
        Thread producer = new Thread(() -> {
            try {
                queue.put(1);
                queue.put(2);
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
        });
        producer.start();
        assert queue.take() == 1 && queue.take() == 2;
        producer.join();
    }
}

/** Workers that wait for ever behind the main thread's end are no deadlock. */
class PoolOfOne {
    void run() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        assert pool.submit(() -> 5).get() == 5;
    }
}

class ParksInLoop {
    volatile boolean ready;

    void run() throws Exception {
        Thread waiter = new Thread(() -> {
            while (!ready) {
                LockSupport.park();
            }
        });
        waiter.start();
        ready = true;
        LockSupport.unpark(waiter);
        waiter.join();
    }
}

/** A loop without an operation until its flag is set. */
class Spins {
    boolean go;

    void run() throws Exception {
        Thread spinner = new Thread(() -> {
            while (!go) {
                Thread.onSpinWait();
            }
        });
        spinner.start();
        go = true;
        spinner.join();
    }
}

class SynchronizedList {
    final List<Integer> list = Collections.synchronizedList(new ArrayList<>());

    void run() throws Exception {
        Sound.both(() -> list.add(1), () -> {
            synchronized (list) {
                int before = list.size();
                assert list.size() == before;
            }
        });
        assert list.size() == 1;
    }
}

class FutureOfOne {
    final CompletableFuture<String> future = new CompletableFuture<>();
    final AtomicInteger calls = new AtomicInteger();

    void run() throws Exception {
        Thread completer = new Thread(() -> future.complete("a"));
        completer.start();
        future.whenComplete((value, error) -> calls.incrementAndGet());
        assert future.join().equals("a");
        completer.join();
        assert calls.get() == 1;
    }
}

/** Its lock is given back by an exception. */
class Throws {
    int count;

    synchronized void add() {
        count++;
        throw new IllegalStateException();
    }

    void tries() {
        try {
            add();
        } catch (IllegalStateException expected) {
            assert count > 0;
        }
    }

    void run() throws Exception {
        Sound.both(this::tries, this::tries);
        assert count == 2;
    }
}

/** A monitor is an object that is not even equal to itself. */
class EqualsNothing {
    int count;

    @Override
    public boolean equals(Object other) {
        return false;
    }

    @Override
    public int hashCode() {
        return 0;
    }

    synchronized void add() {
        count++;
    }

    void run() throws Exception {
        Sound.both(this::add, this::add);
        assert count == 2;
    }
}

/** Threads are started and joined by references of methods, which are no calls. */
class StartsByReference {
    final AtomicInteger value = new AtomicInteger();

    void run() throws Exception {
        List<Thread> threads = List.of(new Thread(value::incrementAndGet),
                new Thread(value::incrementAndGet));
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assert value.get() == 2;
    }
}

/** A reference to a method of an interface, whose receiver is of another interface. */
class RefersToSubtype {
    private final NavigableMap<Integer, Integer> map = new ConcurrentSkipListMap<>();

    void run() throws Exception {
        Supplier<Integer> size = map::size;
        Sound.both(() -> map.put(1, 1), () -> map.put(2, 2));
        assert size.get() == 2;
    }
}

/** A loop that sleeps until another thread has set a flag. */
class SleepsUntilSet {
    volatile boolean done;

    void run() throws InterruptedException {
        Thread sleeper = new Thread(() -> {
            try {
                while (!done) {
                    Thread.sleep(10);
                }
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
        });
        Thread setter = new Thread(() -> done = true);
        sleeper.start();
        setter.start();
        sleeper.join();
        setter.join();
    }
}

/** G. L. Peterson: Myths about the Mutual Exclusion Problem, 1981. A loop looks at two places. */
class Peterson {
    volatile boolean first;
    volatile boolean second;
    volatile int turn;
    int count;

    void run() throws Exception {
        Sound.both(() -> {
            first = true;
            turn = 2;
            while (second && turn == 2) { }
            count++;
            first = false;
        }, () -> {
            second = true;
            turn = 1;
            while (first && turn == 1) { }
            count++;
            second = false;
        });
        assert count == 2;
    }
}

/** A lock orders the calls, or each thread has an object of its own. */
class AppendsApart {
    final StringBuilder text = new StringBuilder();
    String own;

    synchronized void append(char next) {
        text.append(next);
    }

    void run() throws Exception {
        Sound.both(() -> append('a'), () -> {
            own = new StringBuilder().append(1).append('b').toString();
            append('b');
        });
        assert text.length() == 2 && own.equals("1b");
    }
}

/** Each duplicate has a position of its own. */
class ReadsByDuplicates {
    final ByteBuffer buffer = ByteBuffer.wrap(new byte[] {1, 2});
    int one;
    int other;

    void run() throws Exception {
        Sound.both(() -> one = buffer.duplicate().get(), () -> other = buffer.duplicate().get());
        assert one == other;
    }
}

class ReadsConstantArrays {
    static final String[] NONE = new String[0];
    static final Object[] WORDS = {1};
    final List<String> elements = List.of("a");
    final String[] read = new String[2];

    void run() throws Exception {
        Sound.both(() -> read[0] = elements.toArray(NONE)[0] + String.format("%s", WORDS),
                () -> read[1] = elements.toArray(NONE)[0] + String.format("%s", WORDS));
        assert read[0].equals(read[1]);
    }
}

class Sorts {
    final List<Integer> elements = new ArrayList<>(List.of(2, 1));
    final Integer[] numbers = {2, 1};

    synchronized void sort() {
        elements.sort(null);
        elements.sort(Comparator.reverseOrder());
        Collections.sort(elements);
        Arrays.sort(numbers);
    }

    void run() throws Exception {
        Sound.both(this::sort, this::sort);
        assert elements.get(0) == 1 && numbers[0] == 1;
    }
}
