import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

class LatchOfOne {
    final CountDownLatch latch = new CountDownLatch(1);
    int count;

    void run() throws Exception {
        Thread one = new Thread(() -> {
            count++;
            latch.countDown();
        });
        Thread other = new Thread(() -> {
            count++;
            latch.countDown();
        });
        one.start();
        other.start();
        latch.await();
        assert count == 2;
    }
}

class SemaphoreOfTwo {
    final Semaphore semaphore = new Semaphore(2);
    int count;

    void add() {
        semaphore.acquireUninterruptibly();
        count++;
        semaphore.release();
    }

    void run() throws Exception {
        Faulty.both(this::add, this::add);
        assert count == 2;
    }
}

class PoolOfTwo {
    int count;

    void run() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        Future<?> one = pool.submit(() -> count++);
        Future<?> other = pool.submit(() -> count++);
        one.get();
        other.get();
        pool.shutdown();
        assert count == 2;
    }
}

/** A flag is looked at, and then the thread parks: the unpark may have come for something else. */
class ParksOnce {
    volatile boolean ready;

    void run() throws Exception {
        Thread waiter = new Thread(() -> {
            if (!ready) {
                LockSupport.park();
            }
            assert ready;
        });
        waiter.start();
        LockSupport.unpark(waiter);
        ready = true;
        waiter.join();
    }
}

/** The interrupt can come before the sleep, which is then cut short. */
class Interrupted {
    boolean cut;

    void run() throws Exception {
        Thread sleeper = new Thread(() -> {
            try {
                Thread.sleep(1000);
            } catch (InterruptedException error) {
                cut = true;
            }
        });
        sleeper.start();
        sleeper.interrupt();
        sleeper.join();
        assert !cut;
    }
}

/** A join with a time-out is taken for one that waits to the end. */
class JoinsForAWhile {
    boolean done;

    void run() throws Exception {
        Thread worker = new Thread(() -> done = true);
        worker.start();
        worker.join(10);
        assert done;
    }
}

class LooksAlive {
    int count;

    void run() throws Exception {
        Thread worker = new Thread(() -> {
            synchronized (this) {
                count++;
            }
        });
        worker.start();
        boolean alive = worker.isAlive();
        synchronized (this) {
            assert alive == (count == 0);
        }
    }
}

class WaitsShort {
    boolean ready;

    void run() throws Exception {
        Thread opener = new Thread(() -> {
            synchronized (this) {
                ready = true;
                notifyAll();
            }
        });
        opener.start();
        synchronized (this) {
            if (!ready) {
                wait(5);
            }
            assert ready;
        }
    }
}

/** A loop without an operation: no thread sets its flag. */
class SpinsForEver {
    boolean go;

    void run() throws Exception {
        Thread spinner = new Thread(() -> {
            while (!go) {
                Thread.onSpinWait();
            }
        });
        spinner.start();
        spinner.join();
    }
}

class Raises {
    int[] items = {1};

    void run() throws Exception {
        Faulty.both(() -> items = null, () -> items[0]++);
    }
}

/** An iterator of a view looks at a list that another thread changes. */
class IteratesView {
    final List<Integer> list = new ArrayList<>(List.of(1));
    int sum;

    void run() throws Exception {
        List<Integer> view = Collections.unmodifiableList(list);
        Faulty.both(() -> list.add(2), () -> {
            for (int item : view) {
                sum += item;
            }
        });
        assert sum == 3;
    }
}

/** A class that catches everything: the ends of runs go through it. */
class CatchesAll {
    int count;

    void loop() {
        while (true) {
            try {
                synchronized (this) {
                    wait();
                }
            } catch (Throwable everything) {
                count++;
            }
        }
    }

    void run() throws Exception {
        Thread loop = new Thread(this::loop);
        loop.start();
        Faulty.both(() -> count++, () -> count++);
        assert count == 2;
    }
}

/** Peterson's algorithm with its two writes exchanged. */
class PetersonExchanged {
    volatile boolean first;
    volatile boolean second;
    volatile int turn;
    int count;

    void run() throws Exception {
        Faulty.both(() -> {
            turn = 2;
            first = true;
            while (second && turn == 2) { }
            count++;
            first = false;
        }, () -> {
            turn = 1;
            second = true;
            while (first && turn == 1) { }
            count++;
            second = false;
        });
        assert count == 2;
    }
}

/** Ten looks may all come before the other thread's write. */
class LooksTenTimes {
    volatile boolean ready;

    void run() throws InterruptedException {
        Thread setter = new Thread(() -> ready = true);
        setter.start();
        int looks = 0;
        while (!ready && looks < 10) {
            looks++;
        }
        assert ready;
        setter.join();
    }
}
