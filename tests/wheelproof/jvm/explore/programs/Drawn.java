import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** A program that a number draws: two or three threads with a few statements each. */
class Drawn {
    private static final int STATEMENTS = 29;
    private static final VarHandle HANDLE = handle();
    private static final AtomicIntegerFieldUpdater<Drawn> UPDATER =
            AtomicIntegerFieldUpdater.newUpdater(Drawn.class, "updated");
    static int fixed;

    final Object one = new Object();
    final Object other = new Object();
    final ReentrantLock lock = new ReentrantLock();
    final Condition condition = lock.newCondition();
    final AtomicInteger atomic = new AtomicInteger();
    final Map<String, Integer> map = new HashMap<>();
    final int[] items = new int[1];
    final int[] seen = new int[3];
    final Thread[] threads;
    int plain;
    int guarded;
    int handled;
    volatile int updated;
    boolean flag;

    Drawn() {
        Random random = new Random(Integer.getInteger("drawn"));
        int[] kinds = random.ints(5, 0, STATEMENTS).toArray();
        int count = random.nextInt(3) == 0 ? 3 : 2;
        threads = new Thread[count];
        for (int index = 0; index < count; index++) {
            int[] body = new int[1 + random.nextInt(count == 3 ? 2 : 3)];
            for (int at = 0; at < body.length; at++) {
                body[at] = kinds[random.nextInt(kinds.length)];
            }
            int self = index;
            threads[index] = new Thread(() -> {
                for (int statement : body) {
                    step(self, statement);
                }
            });
        }
    }

    private static VarHandle handle() {
        try {
            return MethodHandles.lookup().findVarHandle(Drawn.class, "handled", int.class);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    void run() throws InterruptedException {
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    String outcome() {
        return plain + " " + guarded + " " + atomic + " " + items[0] + " " + handled + " " + updated
                + " " + fixed + " " + map.get("a") + " " + flag + " " + Arrays.toString(seen);
    }

    private void sees(int self, int value) {
        seen[self] = 31 * seen[self] + value + 1;
    }

    private void step(int self, int statement) {
        try {
            simple(self, statement);
            waiting(self, statement);
        } catch (InterruptedException error) {
            sees(self, 99);
        }
    }

    private void simple(int self, int statement) {
        switch (statement) {
            case 0 -> plain++;
            case 1 -> plain = 10 + self;
            case 2 -> sees(self, plain);
            case 3 -> {
                synchronized (one) {
                    guarded++;
                }
            }
            case 4 -> {
                synchronized (one) {
                    synchronized (other) {
                        guarded = 2 * guarded + self;
                    }
                }
            }
            case 5 -> {
                synchronized (other) {
                    synchronized (one) {
                        guarded = 3 * guarded + self;
                    }
                }
            }
            case 6 -> atomic.incrementAndGet();
            case 7 -> atomic.compareAndSet(self, self + 1);
            case 8 -> sees(self, atomic.get());
            case 9 -> items[0] += self + 1;
            case 10 -> HANDLE.setVolatile(this, (int) HANDLE.getVolatile(this) + 1);
            case 11 -> UPDATER.set(this, UPDATER.get(this) + 1);
            case 12 -> fixed = 2 * fixed + self + 1;
            case 13 -> map.merge("a", self + 1, Integer::sum);
            case 14 -> sees(self, map.containsKey("a") ? 1 : 0);
            case 15 -> sees(self, threads[(self + 1) % threads.length].isAlive() ? 1 : 0);
            default -> { }
        }
    }

    private void waiting(int self, int statement) throws InterruptedException {
        Thread next = threads[(self + 1) % threads.length];
        switch (statement) {
            case 16 -> {
                synchronized (one) {
                    while (!flag) {
                        one.wait();
                    }
                }
            }
            case 17 -> {
                synchronized (one) {
                    flag = true;
                    one.notify();
                }
            }
            case 18 -> {
                synchronized (one) {
                    if (!flag) {
                        one.wait(5);
                    }
                    sees(self, guarded);
                }
            }
            case 19 -> {
                if (lock.tryLock()) {
                    plain *= 2;
                    lock.unlock();
                } else {
                    sees(self, 7);
                }
            }
            case 20 -> {
                lock.lock();
                plain += 5;
                condition.signal();
                lock.unlock();
            }
            case 21 -> {
                lock.lockInterruptibly();
                try {
                    sees(self, condition.awaitNanos(5) > 0 ? 1 : 0);
                } finally {
                    lock.unlock();
                }
            }
            case 22 -> {
                LockSupport.unpark(next);
                LockSupport.parkNanos(5);
            }
            case 23 -> next.interrupt();
            case 24 -> sees(self, Thread.interrupted() ? 1 : 0);
            case 25 -> {
                next.join(5);
                sees(self, plain);
            }
            case 26 -> LockSupport.park();
            case 28 -> Thread.sleep(5);
            case 27 -> {
                synchronized (one) {
                    flag = !flag;
                    one.notifyAll();
                }
            }
            default -> { }
        }
    }
}
