import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Probes of the JDK's Timer and DelayQueue. Each prints lines "name, tab, value", which tests/claims/test_jdk.py judges.
 * Names that begin with "wrong." come from a class that is wrong on purpose: the judgement must reject their values.
 * The argument is the name of a file: the script in it is run on a DelayQueue, and each of its lines gives "script.NUMBER", the result and the heap.
 */
public class JdkTimers {
    static final long MOMENT_MS = 50;
    static final long PATIENCE_MS = 60_000;

    static void print(String name, Object value) {
        System.out.println(name + "\t" + value);
    }

    // -- elements on a clock that is set by hand --------------------------------------------------------------------

    static volatile long nowMs;
    static final AtomicReference<Runnable> onCompare = new AtomicReference<>();
    static final AtomicReference<Runnable> onDelay = new AtomicReference<>();
    static long compared;
    static long equalled;

    static void happens(AtomicReference<Runnable> hook) {
        Runnable action = hook.getAndSet(null);
        if (action != null) action.run();
    }

    static class Element implements Delayed {
        final String name;
        final long dueMs;

        Element(String name, long delayMs) {
            this.name = name;
            this.dueMs = nowMs + delayMs;
        }

        @Override public long getDelay(TimeUnit unit) {
            happens(onDelay);
            return unit.convert(dueMs - nowMs, TimeUnit.MILLISECONDS);
        }

        @Override public int compareTo(Delayed other) {
            compared++;
            happens(onCompare);
            return Long.compare(dueMs, ((Element) other).dueMs);
        }

        @Override public boolean equals(Object other) {
            equalled++;
            return this == other;
        }

        @Override public int hashCode() {
            return System.identityHashCode(this);
        }

        @Override public String toString() {
            return name;
        }
    }

    /** Ordered by its name, due by its time: the two disagree. */
    static class ByName extends Element {
        ByName(String name, long delayMs) {
            super(name, delayMs);
        }

        @Override public int compareTo(Delayed other) {
            return name.compareTo(((Element) other).name);
        }
    }

    /** Wrong: a delay queue without a lock. */
    static class Unlocked extends PriorityQueue<Element> {
        @Override public Element poll() {
            Element first = peek();
            return first == null || first.getDelay(TimeUnit.MILLISECONDS) > 0 ? null : super.poll();
        }
    }

    /** Wrong: a queue that hands its elements out as they came. */
    static class AsTheyCame extends LinkedList<Element> {
        @Override public Element poll() {
            Element first = peek();
            return first == null || first.getDelay(TimeUnit.MILLISECONDS) > 0 ? null : super.poll();
        }
    }

    /** Wrong: a queue that hands out what is not due. */
    static class Hasty extends PriorityQueue<Element> {
    }

    /** Wrong: a sorted list, in which a new element is compared with each that is due before it. */
    static class Sorted extends LinkedList<Element> {
        @Override public boolean offer(Element added) {
            ListIterator<Element> places = listIterator();
            while (places.hasNext()) {
                if (places.next().compareTo(added) > 0) {
                    places.previous();
                    break;
                }
            }
            places.add(added);
            return true;
        }
    }

    /** Wrong: a queue that removes an element without a look at the others, and sorts all of them to find its head. */
    static class Unsorted extends AsTheyCame {
        @Override public boolean remove(Object element) {
            return removeIf(each -> each == element);
        }

        @Override public Element peek() {
            return stream().sorted().findFirst().orElse(null);
        }
    }

    // -- DelayQueue -------------------------------------------------------------------------------------------------

    static String taken(Queue<Element> queue, long... delaysMs) {
        nowMs = 0;
        for (long delay : delaysMs) queue.offer(new Element(Long.toString(delay), delay));
        List<String> order = new ArrayList<>();
        for (nowMs = 0; nowMs <= 6000; nowMs += 500) {
            Element element;
            while ((element = queue.poll()) != null) order.add(element.name + "@" + nowMs);
        }
        return String.join(" ", order);
    }

    static String orders(Supplier<Queue<Element>> queue) {
        long[][] all = {{2000, 4000, 5000}, {2000, 5000, 4000}, {4000, 2000, 5000}, {4000, 5000, 2000}, {5000, 2000, 4000}, {5000, 4000, 2000}};
        return Arrays.stream(all).map(delays -> taken(queue.get(), delays)).distinct().collect(Collectors.joining("; "));
    }

    /** Which operations of another thread come to their end while one thread is inside an offer or a poll. */
    static String intruders(Supplier<Queue<Element>> make, long patienceMs) throws InterruptedException {
        List<String> inside = new ArrayList<>();
        for (boolean offering : new boolean[] {true, false}) {
            for (String operation : List.of("offer", "poll", "peek", "remove", "size")) {
                nowMs = 0;
                Queue<Element> queue = make.get();
                Element first = new Element("first", 0);
                queue.offer(first);
                queue.offer(new Element("second", 0));
                Map<String, Runnable> operations = Map.of(
                    "offer", () -> queue.offer(new Element("intruder", 0)), "poll", queue::poll, "peek", queue::peek,
                    "remove", () -> queue.remove(first), "size", queue::size);
                Thread intruder = new Thread(operations.get(operation));
                intruder.setDaemon(true);
                boolean[] finished = {false};
                Runnable intrudes = () -> {
                    intruder.start();
                    try {
                        intruder.join(patienceMs);
                    } catch (InterruptedException stopped) {
                        throw new IllegalStateException(stopped);
                    }
                    finished[0] = !intruder.isAlive();
                };
                (offering ? onCompare : onDelay).set(intrudes);
                try {
                    if (offering) queue.offer(new Element("third", 0)); else queue.poll();
                } catch (RuntimeException broken) {
                    inside.add("broken");
                }
                intruder.join(PATIENCE_MS);
                if (finished[0]) inside.add((offering ? "offer" : "poll") + "/" + operation);
            }
        }
        return String.join(" ", inside);
    }

    static String handedOut(int threads, int elements) throws InterruptedException {
        nowMs = 0;
        DelayQueue<Element> queue = new DelayQueue<>();
        List<String> got = new CopyOnWriteArrayList<>();
        List<Thread> takers = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            Thread taker = new Thread(() -> {
                try {
                    for (int count = 0; count < elements / threads; count++) got.add(queue.take().name);
                } catch (InterruptedException stopped) {
                    throw new IllegalStateException(stopped);
                }
            });
            taker.setDaemon(true);
            taker.start();
            takers.add(taker);
        }
        for (int number = 0; number < elements; number++) queue.offer(new Element(Integer.toString(number), 0));
        for (Thread taker : takers) taker.join(PATIENCE_MS);
        return got.size() + " of which " + got.stream().distinct().count() + " different";
    }

    static void early(String prefix, Queue<Element> queue) {
        nowMs = 0;
        Element element = new Element("late", 1000);
        queue.offer(element);
        print(prefix + "early.poll", queue.poll());
        if (queue.isEmpty()) queue.offer(element);
        print(prefix + "early.peek", queue.peek());
        print(prefix + "early.remove", queue.remove(element));
        print(prefix + "early.left", queue.size());
    }

    static String hidden(boolean byName) {
        nowMs = 0;
        DelayQueue<Element> queue = new DelayQueue<>();
        Map<String, Long> delays = new HashMap<>(Map.of("a", 500L, "b", 20L, "c", 40L));
        for (String name : List.of("a", "b", "c")) queue.offer(byName ? new ByName(name, delays.get(name)) : new Element(name, delays.get(name)));
        nowMs = 100;
        Element element;
        while ((element = queue.poll()) != null) delays.remove(element.name);
        return delays.entrySet().stream().filter(entry -> entry.getValue() <= nowMs).map(Map.Entry::getKey).sorted().collect(Collectors.joining(" "));
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static String withoutDelay(Queue raw) {
        try {
            raw.offer("no Delayed");
            raw.offer("no Delayed either");
            return String.valueOf(raw.poll());
        } catch (ClassCastException refused) {
            return "ClassCastException";
        }
    }

    static long scattered(long number) {
        return 60_000 + number * 2_654_435_761L % 600_000;
    }

    static void cost(String prefix, Queue<Element> queue, int pending) {
        nowMs = 0;
        for (int number = 0; number < pending; number++) queue.offer(new Element(Integer.toString(number), scattered(number)));
        compared = 0;
        for (int number = 0; number < 1000; number++) queue.offer(new Element("more", scattered(pending + number)));
        print(prefix + pending + ".thousand_offers", compared);
        compared = 0;
        queue.offer(new Element("first", 1));
        print(prefix + pending + ".earliest_offer", compared);
        compared = 0;
        queue.peek();
        print(prefix + pending + ".peek", compared);
        Object[] heap = queue.toArray();
        equalled = 0;
        queue.remove(heap[heap.length - 1]);
        print(prefix + pending + ".remove_last", equalled);
        nowMs = 1 << 30;
        compared = 0;
        queue.poll();
        print(prefix + pending + ".poll", compared);
    }

    // -- Timer ------------------------------------------------------------------------------------------------------

    /** What the articles' program schedules, on a Timer or on something else. */
    interface Schedule {
        void after(long delayMs, Runnable task);
    }

    static Schedule on(Timer timer) {
        return (delayMs, task) -> timer.schedule(new TimerTask() {
            @Override public void run() {
                task.run();
            }
        }, delayMs);
    }

    /** A slow second task: whether the third begins while the second one runs. */
    static boolean besides(Schedule schedule, long patienceMs) throws InterruptedException {
        CountDownLatch third = new CountDownLatch(1);
        AtomicReference<Boolean> seen = new AtomicReference<>();
        CountDownLatch second = new CountDownLatch(1);
        schedule.after(1, () -> { });
        schedule.after(2, () -> {
            try {
                seen.set(third.await(patienceMs, TimeUnit.MILLISECONDS));
            } catch (InterruptedException stopped) {
                throw new IllegalStateException(stopped);
            }
            second.countDown();
        });
        schedule.after(3, third::countDown);
        second.await(PATIENCE_MS, TimeUnit.MILLISECONDS);
        third.await(PATIENCE_MS, TimeUnit.MILLISECONDS);
        return seen.get();
    }

    /** The article's program with 20 ms for a second: when the three tasks begin. */
    static String article() throws InterruptedException {
        Timer timer = new Timer(true);
        List<String> begun = new CopyOnWriteArrayList<>();
        CountDownLatch done = new CountDownLatch(3);
        long start = System.nanoTime();
        for (int task = 1; task <= 3; task++) {
            int number = task;
            on(timer).after(20L * task, () -> {
                begun.add(number + "@" + (System.nanoTime() - start) / 1_000_000);
                try {
                    if (number == 2) Thread.sleep(100);
                } catch (InterruptedException stopped) {
                    throw new IllegalStateException(stopped);
                }
                done.countDown();
            });
        }
        done.await(PATIENCE_MS, TimeUnit.MILLISECONDS);
        timer.cancel();
        return String.join(" ", begun);
    }

    /** After a task has thrown: what a task that waits does, and what becomes of a new one. */
    static String throwing(Schedule schedule, CountDownLatch over) throws InterruptedException {
        CountDownLatch second = new CountDownLatch(1);
        CountDownLatch thrown = new CountDownLatch(1);
        CountDownLatch both = new CountDownLatch(1);
        AtomicReference<Thread> thread = new AtomicReference<>();
        schedule.after(1, () -> {
            try {
                both.await(PATIENCE_MS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException stopped) {
                throw new IllegalStateException(stopped);
            }
            thread.set(Thread.currentThread());
            thrown.countDown();
            throw new IllegalArgumentException("thrown by the first task");
        });
        schedule.after(2, second::countDown);
        both.countDown();
        thrown.await(PATIENCE_MS, TimeUnit.MILLISECONDS);
        if (over == null) thread.get().join(PATIENCE_MS);
        boolean ran = second.await(over == null ? MOMENT_MS : PATIENCE_MS, TimeUnit.MILLISECONDS);
        try {
            schedule.after(1, () -> { });
            return "second " + ran + ", then taken";
        } catch (IllegalStateException refused) {
            return "second " + ran + ", then " + refused.getClass().getSimpleName();
        }
    }

    /** How often a task runs: one without a period, and one with a period that cancels itself, or not, in its fifth run. */
    static String runs(boolean cancels) throws InterruptedException {
        Timer timer = new Timer(true);
        AtomicInteger once = new AtomicInteger();
        AtomicInteger often = new AtomicInteger();
        CountDownLatch fifth = new CountDownLatch(5);
        CountDownLatch later = new CountDownLatch(1);
        on(timer).after(1, once::incrementAndGet);
        timer.schedule(new TimerTask() {
            @Override public void run() {
                often.incrementAndGet();
                fifth.countDown();
                if (cancels && often.get() == 5) cancel();
            }
        }, 1, 2);
        fifth.await(PATIENCE_MS, TimeUnit.MILLISECONDS);
        on(timer).after(20, later::countDown);
        later.await(PATIENCE_MS, TimeUnit.MILLISECONDS);
        timer.cancel();
        return once.get() + " " + (often.get() == 5 ? "5" : "more than 5");
    }

    static final long HOUR_MS = 3_600_000;

    static int cancelledAndPurged() {
        Timer timer = new Timer(true);
        List<TimerTask> tasks = new ArrayList<>();
        for (int number = 0; number < 1000; number++) {
            TimerTask task = new TimerTask() {
                @Override public void run() { }
            };
            timer.schedule(task, HOUR_MS + number);
            tasks.add(task);
        }
        for (int number = 0; number < 1000; number += 2) tasks.get(number).cancel();
        int purged = timer.purge();
        timer.cancel();
        return purged;
    }

    static int cancelledAndPurged(ScheduledThreadPoolExecutor pool) {
        pool.setRemoveOnCancelPolicy(true);
        List<ScheduledFuture<?>> tasks = new ArrayList<>();
        for (int number = 0; number < 1000; number++) tasks.add(pool.schedule(() -> { }, HOUR_MS + number, TimeUnit.MILLISECONDS));
        for (int number = 0; number < 1000; number += 2) tasks.get(number).cancel(false);
        int before = pool.getQueue().size();
        pool.purge();
        return before - pool.getQueue().size();
    }

    /** Whether the time at which a task is due lies between two readings of a clock, the delay being added to both. */
    static boolean dueBy(Supplier<Long> clockMs) {
        Timer timer = new Timer(true);
        TimerTask task = new TimerTask() {
            @Override public void run() { }
        };
        long before = clockMs.get();
        timer.schedule(task, HOUR_MS);
        long after = clockMs.get();
        long due = task.scheduledExecutionTime();
        timer.cancel();
        return before + HOUR_MS <= due && due <= after + HOUR_MS;
    }

    // -- a script on a DelayQueue -----------------------------------------------------------------------------------

    static void script(Path file) throws Exception {
        DelayQueue<Element> queue = new DelayQueue<>();
        Map<String, Element> elements = new HashMap<>();
        nowMs = 0;
        int number = 0;
        for (String line : Files.readAllLines(file)) {
            String[] words = line.split(" ");
            Object result = "-";
            if (words[0].equals("offer")) {
                Element element = new Element(words[1], Long.parseLong(words[2]));
                elements.put(words[1], element);
                queue.offer(element);
            } else if (words[0].equals("advance")) {
                nowMs += Long.parseLong(words[1]);
            } else if (words[0].equals("poll")) {
                result = queue.poll();
            } else if (words[0].equals("remove")) {
                result = queue.remove(elements.get(words[1]));
            } else {
                throw new IllegalArgumentException(line);
            }
            print("script." + number++, result + ": " + Arrays.stream(queue.toArray()).map(Object::toString).collect(Collectors.joining(" ")));
        }
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
        Schedule onTwo = (delayMs, task) -> two.schedule(task, delayMs, TimeUnit.MILLISECONDS);

        print("version", System.getProperty("java.version"));
        print("queue.heap", type(DelayQueue.class, "q"));
        print("timer.heap", type(Timer.class, "queue"));
        print("queue.bound", DelayQueue.class.getTypeParameters()[0].getBounds()[0].getTypeName());
        print("queue.element", Arrays.toString(Delayed.class.getInterfaces()) + " " + Delayed.class.getMethods()[0].getName());
        print("queue.without_delay", withoutDelay(new DelayQueue<>()));
        print("queue.orders", orders(DelayQueue::new));
        print("wrong.queue.orders", orders(AsTheyCame::new));
        print("queue.intruders", intruders(DelayQueue::new, MOMENT_MS));
        print("wrong.queue.intruders", intruders(Unlocked::new, PATIENCE_MS));
        print("queue.handed_out", handedOut(3, 60));
        print("queue.capacity", new DelayQueue<Element>().remainingCapacity());
        early("queue.", new DelayQueue<>());
        early("wrong.queue.", new Hasty());
        print("queue.hidden", hidden(false));
        print("queue.hidden_by_name", hidden(true));
        cost("cost.", new DelayQueue<>(), 1000);
        cost("cost.", new DelayQueue<>(), 20_000);
        cost("wrong.sorted.cost.", new Sorted(), 1000);
        cost("wrong.unsorted.cost.", new Unsorted(), 1000);
        print("wrong.queue.heap", type(LinkedBlockingQueue.class, "head"));
        print("wrong.queue.bound", LinkedBlockingQueue.class.getTypeParameters()[0].getBounds()[0].getTypeName());
        print("wrong.queue.without_delay", withoutDelay(new LinkedBlockingQueue<>()));
        print("wrong.queue.capacity", new LinkedBlockingQueue<Element>(1000).remainingCapacity());
        print("timer.article", article());
        print("timer.besides", besides(on(new Timer(true)), MOMENT_MS));
        print("wrong.timer.besides", besides(onTwo, PATIENCE_MS));
        print("timer.throwing", throwing(on(new Timer(true)), null));
        print("wrong.timer.throwing", throwing(onTwo, new CountDownLatch(0)));
        print("timer.runs", runs(true));
        print("wrong.timer.runs", runs(false));
        print("timer.purged", cancelledAndPurged());
        print("wrong.timer.purged", cancelledAndPurged(two));
        print("timer.due_by_the_wall_clock", dueBy(System::currentTimeMillis));
        print("wrong.timer.due_by_the_wall_clock", dueBy(() -> System.nanoTime() / 1_000_000));
        two.shutdownNow();
        script(scriptFile);
    }
}
