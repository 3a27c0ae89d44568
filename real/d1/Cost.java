import java.lang.management.ManagementFactory;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Prints what the fix adds to a call of advanceClock that finds a due bucket: the CPU time of one
 * offer and one poll of a queue that holds all buckets of one to five wheels.
 *
 * <pre>java Cost.java</pre>
 */
public final class Cost {
    private static final int WHEEL_SIZE = 20;
    private static final int PAIRS = 1_000_000;

    private record Bucket(AtomicLong expiration) implements Delayed {
        @Override
        public long getDelay(TimeUnit unit) {
            long left = expiration.get() - System.nanoTime() / 1_000_000;
            return unit.convert(left, TimeUnit.MILLISECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(expiration.get(), ((Bucket) other).expiration.get());
        }
    }

    public static void main(String[] arguments) {
        System.out.println("buckets  ns of CPU per offer and poll");
        for (int wheels = 1; wheels <= 5; wheels++) {
            int buckets = wheels * WHEEL_SIZE;
            pairs(buckets);
            System.out.println(String.format("%7d  %28d", buckets, pairs(buckets)));
        }
    }

    private static long pairs(int buckets) {
        DelayQueue<Bucket> queue = new DelayQueue<>();
        long now = System.nanoTime() / 1_000_000;
        for (int bucket = 1; bucket < buckets; bucket++) {
            queue.offer(new Bucket(new AtomicLong(now + 3_600_000 + bucket)));
        }
        Bucket polled = new Bucket(new AtomicLong(now));
        long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        for (int pair = 0; pair < PAIRS; pair++) {
            queue.offer(polled);
            polled = queue.poll();
        }
        return (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before) / PAIRS;
    }
}
