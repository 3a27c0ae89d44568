import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A thread polls until another one has set a flag. */
class Polls {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition condition = lock.newCondition();
    private boolean done;

    private boolean polls() {
        lock.lock();
        try {
            return done || condition.await(5, TimeUnit.MILLISECONDS);
        } catch (InterruptedException error) {
            return true;
        } finally {
            lock.unlock();
        }
    }

    void poll() {
        boolean over = false;
        while (!over) {
            over = polls();
        }
    }

    void set() {
        lock.lock();
        done = true;
        lock.unlock();
    }

    void run() throws InterruptedException {
        Thread setter = new Thread(this::set);
        Thread poller = new Thread(this::poll);
        poller.start();
        setter.start();
        poller.join();
    }
}

/** No thread sets the flag. */
class PollsForEver extends Polls {
    @Override
    void set() { }

    @Override
    void run() throws InterruptedException {
        super.run();
    }
}

/** The sleep may be over before the other thread has moved at all. */
class SleepsFirst {
    volatile int last;

    void run() throws InterruptedException {
        Thread sleeper = new Thread(() -> {
            try {
                Thread.sleep(10);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
            last = 1;
        });
        Thread other = new Thread(() -> last = 2);
        sleeper.start();
        other.start();
        sleeper.join();
        other.join();
        assert last == 1;
    }
}

/** Nor does a thread that yields have to be answered. */
class YieldsFirst {
    volatile int last;

    void run() throws InterruptedException {
        Thread polite = new Thread(() -> {
            Thread.yield();
            Thread.yield();
            last = 1;
        });
        Thread other = new Thread(() -> last = 2);
        polite.start();
        other.start();
        polite.join();
        other.join();
        assert last == 1;
    }
}

/** Five looks, with a pause between them, may all come before the other thread's write. */
class LooksFiveTimes {
    volatile boolean ready;

    void run() throws InterruptedException {
        Thread setter = new Thread(() -> ready = true);
        setter.start();
        for (int look = 0; look < 5 && !ready; look++) {
            Thread.sleep(1);
        }
        assert ready;
        setter.join();
    }
}

/** No number of looks is enough, but the thread waits for the write. */
class LooksForEver {
    volatile boolean ready;

    void run() throws InterruptedException {
        Thread setter = new Thread(() -> ready = true);
        setter.start();
        while (!ready) {
            Thread.sleep(1);
        }
        setter.join();
    }
}
