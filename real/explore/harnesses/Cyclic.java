import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.CyclicTimeouts;
import org.eclipse.jetty.util.thread.Scheduler;

/** Two time-outs are scheduled at once: the earlier one may not wait for the later one. */
class Cyclic {
    private record Due(long nanos, Runnable task) { }

    private static final class Entry implements CyclicTimeouts.Expirable {
        private final long nanos;

        Entry(long millis) {
            nanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        }

        @Override
        public long getExpireNanoTime() {
            return nanos;
        }
    }

    private final ConcurrentLinkedQueue<Due> due = new ConcurrentLinkedQueue<>();
    private final List<Entry> entries = new ArrayList<>();
    private Entry expired;

    private final Scheduler scheduler = (Scheduler) Proxy.newProxyInstance(
            Scheduler.class.getClassLoader(), new Class<?>[] {Scheduler.class},
            (self, method, given) -> {
                if (!method.getName().equals("schedule")) {
                    return null;
                }
                long nanos = ((TimeUnit) given[2]).toNanos((Long) given[1]);
                due.add(new Due(System.nanoTime() + nanos, (Runnable) given[0]));
                return (Scheduler.Task) () -> true;
            });

    private final CyclicTimeouts<Entry> timeouts = new CyclicTimeouts<>(scheduler) {
        @Override
        protected Iterator<Entry> iterator() {
            return entries.iterator();
        }

        @Override
        protected boolean onExpired(Entry entry) {
            expired = expired == null ? entry : expired;
            return true;
        }
    };

    void run() throws InterruptedException {
        Entry soon = new Entry(25);
        Entry later = new Entry(50);
        entries.add(soon);
        entries.add(later);
        Thread one = new Thread(() -> timeouts.schedule(later));
        Thread other = new Thread(() -> timeouts.schedule(soon));
        one.start();
        other.start();
        one.join();
        other.join();
        for (int passed = 0; passed < 30; passed++) {
            Thread.sleep(1);
            for (Due each : due) {
                if (each.nanos <= System.nanoTime() && due.remove(each)) {
                    each.task.run();
                }
            }
        }
        assert expired == soon : "it has not expired 5 ms after its time";
    }
}
