import java.nio.file.Path;
import java.util.Arrays;
import java.util.Timer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Probes of the JDK's Timer and DelayQueue. Each prints lines "name, tab, value", which
 * tests/claims/test_jdk.py judges. Names that begin with "wrong." come from a class that is wrong
 * on purpose: the judgement must reject their values. The argument is the name of a file with a
 * script, which is run on a DelayQueue: each of its lines gives "script.NUMBER", the result and the
 * heap.
 */
public class JdkTimers {
    static final long MOMENT_MS = 50;
    static final long PATIENCE_MS = 60_000;

    static void print(String name, Object value) {
        System.out.println(name + "\t" + value);
    }

    static String type(Class<?> owner, String field) throws NoSuchFieldException {
        return owner.getDeclaredField(field).getType().getSimpleName();
    }

    /** Whatever goes wrong here ends the program with an error, whichever threads still run. */
    public static void main(String[] arguments) {
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> { });
        try {
            probe(Path.of(arguments[0]));
        } catch (Throwable broken) {
            broken.printStackTrace();
            System.exit(1);
        }
        System.exit(0);
    }

    static void probe(Path scriptFile) throws Exception {
        ScheduledThreadPoolExecutor two = new ScheduledThreadPoolExecutor(2);
        TimerProbes.Schedule onTwo =
            (delayMs, task) -> two.schedule(task, delayMs, TimeUnit.MILLISECONDS);

        print("version", System.getProperty("java.version"));
        print("queue.heap", type(DelayQueue.class, "q"));
        print("timer.heap", type(Timer.class, "queue"));
        print("queue.bound", DelayQueue.class.getTypeParameters()[0].getBounds()[0].getTypeName());
        print("queue.element", Arrays.toString(Delayed.class.getInterfaces())
            + " " + Delayed.class.getMethods()[0].getName());
        print("queue.without_delay", QueueProbes.withoutDelay(new DelayQueue<>()));
        print("queue.orders", QueueProbes.orders(DelayQueue::new));
        print("wrong.queue.orders", QueueProbes.orders(Queues.AsTheyCame::new));
        print("queue.intruders", QueueProbes.intruders(DelayQueue::new, MOMENT_MS));
        print("wrong.queue.intruders", QueueProbes.intruders(Queues.Unlocked::new, PATIENCE_MS));
        print("queue.handed_out", QueueProbes.handedOut(3, 60));
        print("queue.capacity", new DelayQueue<Element>().remainingCapacity());
        QueueProbes.early("queue.", new DelayQueue<>());
        QueueProbes.early("wrong.queue.", new Queues.Hasty());
        print("queue.hidden", QueueProbes.hidden(false));
        print("queue.hidden_by_name", QueueProbes.hidden(true));
        QueueProbes.cost("cost.", new DelayQueue<>(), 1000);
        QueueProbes.cost("cost.", new DelayQueue<>(), 20_000);
        QueueProbes.cost("wrong.sorted.cost.", new Queues.Sorted(), 1000);
        QueueProbes.cost("wrong.unsorted.cost.", new Queues.Unsorted(), 1000);
        print("wrong.queue.heap", type(LinkedBlockingQueue.class, "head"));
        print("wrong.queue.bound",
            LinkedBlockingQueue.class.getTypeParameters()[0].getBounds()[0].getTypeName());
        print("wrong.queue.without_delay", QueueProbes.withoutDelay(new LinkedBlockingQueue<>()));
        print("wrong.queue.capacity", new LinkedBlockingQueue<Element>(1000).remainingCapacity());
        print("timer.article", TimerProbes.article());
        print("timer.besides", TimerProbes.besides(TimerProbes.on(new Timer(true)), MOMENT_MS));
        print("wrong.timer.besides", TimerProbes.besides(onTwo, PATIENCE_MS));
        print("timer.throwing", TimerProbes.throwing(TimerProbes.on(new Timer(true)), null));
        print("wrong.timer.throwing", TimerProbes.throwing(onTwo, new CountDownLatch(0)));
        print("timer.runs", TimerProbes.runs(true));
        print("wrong.timer.runs", TimerProbes.runs(false));
        print("timer.purged", TimerProbes.cancelledAndPurged());
        print("wrong.timer.purged", TimerProbes.cancelledAndPurged(two));
        print("timer.due_by_the_wall_clock", TimerProbes.dueBy(System::currentTimeMillis));
        print("wrong.timer.due_by_the_wall_clock",
            TimerProbes.dueBy(() -> System.nanoTime() / 1_000_000));
        two.shutdownNow();
        QueueProbes.script(scriptFile);
    }
}
