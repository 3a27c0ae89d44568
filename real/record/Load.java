import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.server.purgatory.DelayedOperation;
import org.apache.kafka.server.purgatory.DelayedOperationKey;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.TimerTask;

/**
 * Keeps Kafka's timer and purgatory busy: {@code Load MS THREADS ADDS_PER_S}.
 *
 * <p>Half of the threads add tasks to a timer, with delays from 0 ms to two levels; they cancel
 * some and add some anew. The others leave operations with a purgatory, and complete a part of
 * them by their keys. Each part has a timer and a reaper of its own.
 */
public final class Load {
    private static final int KEYS = 8;
    private static final int LONGEST_MS = 900;
    private static final int REAP_MS = 50;

    private Load() { }

    private static final class Task extends TimerTask {
        private final AtomicInteger runs;

        Task(long delayMs, AtomicInteger runs) {
            super(delayMs);
            this.runs = runs;
        }

        @Override
        public void run() {
            runs.incrementAndGet();
        }
    }

    private record Key(int number) implements DelayedOperationKey {
        @Override
        public String keyLabel() {
            return "key-" + number;
        }
    }

    /**
     * Completes when what it waits for has come {@code wanted} times. One that is {@code late}
     * finds that from its second attempt on: it came between the two attempts of its caller.
     */
    private static final class Operation extends DelayedOperation {
        private final AtomicLong source;
        private final long wanted;
        private boolean late;

        Operation(long delayMs, AtomicLong source, long wanted, boolean late) {
            super(delayMs);
            this.source = source;
            this.wanted = wanted;
            this.late = late;
        }

        @Override
        public boolean tryComplete() {
            boolean here = source.get() >= wanted && !late;
            late = false;
            return here && forceComplete();
        }

        @Override
        public void onComplete() { }

        @Override
        public void onExpiration() { }
    }

    /** Delays of all levels, most of them short. */
    private static long delay(ThreadLocalRandom random) {
        int bound = random.nextInt(4) == 0 ? LONGEST_MS : 60;
        return random.nextInt(bound);
    }

    private static void tasks(SystemTimer timer, AtomicInteger runs, long end, long pauseNs) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        List<Task> mine = new ArrayList<>();
        while (System.nanoTime() < end) {
            Task task = new Task(delay(random), runs);
            timer.add(task);
            mine.add(task);
            if (random.nextInt(10) < 3) {
                mine.remove(random.nextInt(mine.size())).cancel();
            } else if (random.nextInt(20) == 0) {
                timer.add(mine.get(random.nextInt(mine.size())));
            }
            if (mine.size() > 64) {
                mine.remove(0);
            }
            pause(pauseNs);
        }
    }

    private static void operations(DelayedOperationPurgatory<Operation> purgatory,
            AtomicLong[] sources, long end, long pauseNs) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        while (System.nanoTime() < end) {
            int at = random.nextInt(KEYS);
            int other = random.nextInt(KEYS);
            boolean late = random.nextInt(4) == 0;
            long wanted = sources[at].get() + (late ? 0 : random.nextInt(3));
            List<Key> keys = at == other ? List.of(new Key(at))
                : List.of(new Key(at), new Key(other));
            purgatory.tryCompleteElseWatch(
                new Operation(delay(random), sources[at], wanted, late), keys);
            if (random.nextInt(2) == 0) {
                sources[at].incrementAndGet();
                purgatory.checkAndComplete(new Key(at));
            }
            pause(pauseNs);
        }
    }

    private static void pause(long ns) {
        LockSupport.parkNanos(ns);
    }

    private static Thread started(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.start();
        return thread;
    }

    public static void main(String[] arguments) throws Exception {
        long ms = Long.parseLong(arguments[0]);
        int threads = Integer.parseInt(arguments[1]);
        long pauseNs = threads * 1_000_000_000L / Long.parseLong(arguments[2]);
        SystemTimer timer = new SystemTimer("load");
        DelayedOperationPurgatory<Operation> purgatory =
            new DelayedOperationPurgatory<>("Load", 0, 500);
        AtomicLong[] sources = new AtomicLong[KEYS];
        for (int each = 0; each < KEYS; each++) {
            sources[each] = new AtomicLong();
        }
        AtomicInteger runs = new AtomicInteger();
        long begin = System.nanoTime();
        long end = begin + ms * 1_000_000;
        List<Thread> all = new ArrayList<>();
        for (int each = 0; each < threads; each++) {
            all.add(each % 2 == 0
                ? started("adder-" + each, () -> tasks(timer, runs, end, pauseNs))
                : started("caller-" + each, () -> operations(purgatory, sources, end, pauseNs)));
        }
        Thread reaper = started("reaper", () -> {
            try {
                while (System.nanoTime() < end || timer.size() > 0) {
                    timer.advanceClock(REAP_MS);
                }
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
        });
        for (Thread each : all) {
            each.join();
        }
        reaper.join();
        while (purgatory.numDelayed() > 0) {
            Thread.sleep(REAP_MS);
        }
        timer.close();
        purgatory.shutdown();
        System.out.println("runs " + runs.get());
    }
}
