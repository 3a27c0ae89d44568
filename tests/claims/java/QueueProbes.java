import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Probes of a DelayQueue, or of a queue in its place. */
class QueueProbes {
    static String taken(Queue<Element> queue, long... delaysMs) {
        Element.nowMs = 0;
        for (long delay : delaysMs) queue.offer(new Element(Long.toString(delay), delay));
        List<String> order = new ArrayList<>();
        for (Element.nowMs = 0; Element.nowMs <= 6000; Element.nowMs += 500) {
            Element element;
            while ((element = queue.poll()) != null) order.add(element.name + "@" + Element.nowMs);
        }
        return String.join(" ", order);
    }

    static String orders(Supplier<Queue<Element>> queue) {
        long[][] all = {
            {2000, 4000, 5000}, {2000, 5000, 4000}, {4000, 2000, 5000},
            {4000, 5000, 2000}, {5000, 2000, 4000}, {5000, 4000, 2000}};
        return Arrays.stream(all)
            .map(delays -> taken(queue.get(), delays))
            .distinct()
            .collect(Collectors.joining("; "));
    }

    /** Operations of another thread that end while one thread is inside an offer or a poll. */
    static String intruders(Supplier<Queue<Element>> make, long patienceMs)
            throws InterruptedException {
        List<String> inside = new ArrayList<>();
        for (boolean offering : new boolean[] {true, false}) {
            for (String operation : List.of("offer", "poll", "peek", "remove", "size")) {
                Element.nowMs = 0;
                Queue<Element> queue = make.get();
                Element first = new Element("first", 0);
                queue.offer(first);
                queue.offer(new Element("second", 0));
                Map<String, Runnable> operations = Map.of(
                    "offer", () -> queue.offer(new Element("intruder", 0)),
                    "poll", queue::poll, "peek", queue::peek,
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
                (offering ? Element.onCompare : Element.onDelay).set(intrudes);
                try {
                    if (offering) queue.offer(new Element("third", 0)); else queue.poll();
                } catch (RuntimeException broken) {
                    inside.add("broken");
                }
                intruder.join(JdkTimers.PATIENCE_MS);
                if (finished[0]) inside.add((offering ? "offer" : "poll") + "/" + operation);
            }
        }
        return String.join(" ", inside);
    }

    static String handedOut(int threads, int elements) throws InterruptedException {
        Element.nowMs = 0;
        DelayQueue<Element> queue = new DelayQueue<>();
        List<String> got = new CopyOnWriteArrayList<>();
        List<Thread> takers = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            Thread taker = new Thread(() -> {
                try {
                    for (int count = 0; count < elements / threads; count++) {
                        got.add(queue.take().name);
                    }
                } catch (InterruptedException stopped) {
                    throw new IllegalStateException(stopped);
                }
            });
            taker.setDaemon(true);
            taker.start();
            takers.add(taker);
        }
        for (int number = 0; number < elements; number++) {
            queue.offer(new Element(Integer.toString(number), 0));
        }
        for (Thread taker : takers) taker.join(JdkTimers.PATIENCE_MS);
        return got.size() + " of which " + got.stream().distinct().count() + " different";
    }

    static void early(String prefix, Queue<Element> queue) {
        Element.nowMs = 0;
        Element element = new Element("late", 1000);
        queue.offer(element);
        JdkTimers.print(prefix + "early.poll", queue.poll());
        if (queue.isEmpty()) queue.offer(element);
        JdkTimers.print(prefix + "early.peek", queue.peek());
        JdkTimers.print(prefix + "early.remove", queue.remove(element));
        JdkTimers.print(prefix + "early.left", queue.size());
    }

    static String hidden(boolean byName) {
        Element.nowMs = 0;
        DelayQueue<Element> queue = new DelayQueue<>();
        Map<String, Long> delays = new HashMap<>(Map.of("a", 500L, "b", 20L, "c", 40L));
        for (String name : List.of("a", "b", "c")) {
            long delay = delays.get(name);
            queue.offer(byName ? new Queues.ByName(name, delay) : new Element(name, delay));
        }
        Element.nowMs = 100;
        Element element;
        while ((element = queue.poll()) != null) delays.remove(element.name);
        return delays.entrySet().stream()
            .filter(entry -> entry.getValue() <= Element.nowMs)
            .map(Map.Entry::getKey)
            .sorted()
            .collect(Collectors.joining(" "));
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
        Element.nowMs = 0;
        for (int number = 0; number < pending; number++) {
            queue.offer(new Element(Integer.toString(number), scattered(number)));
        }
        Element.compared = 0;
        for (int number = 0; number < 1000; number++) {
            queue.offer(new Element("more", scattered(pending + number)));
        }
        JdkTimers.print(prefix + pending + ".thousand_offers", Element.compared);
        Element.compared = 0;
        queue.offer(new Element("first", 1));
        JdkTimers.print(prefix + pending + ".earliest_offer", Element.compared);
        Element.compared = 0;
        queue.peek();
        JdkTimers.print(prefix + pending + ".peek", Element.compared);
        Object[] heap = queue.toArray();
        Element.equalled = 0;
        queue.remove(heap[heap.length - 1]);
        JdkTimers.print(prefix + pending + ".remove_last", Element.equalled);
        Element.nowMs = 1 << 30;
        Element.compared = 0;
        queue.poll();
        JdkTimers.print(prefix + pending + ".poll", Element.compared);
    }

    static void script(Path file) throws Exception {
        DelayQueue<Element> queue = new DelayQueue<>();
        Map<String, Element> elements = new HashMap<>();
        Element.nowMs = 0;
        int number = 0;
        for (String line : Files.readAllLines(file)) {
            String[] words = line.split(" ");
            Object result = "-";
            if (words[0].equals("offer")) {
                Element element = new Element(words[1], Long.parseLong(words[2]));
                elements.put(words[1], element);
                queue.offer(element);
            } else if (words[0].equals("advance")) {
                Element.nowMs += Long.parseLong(words[1]);
            } else if (words[0].equals("poll")) {
                result = queue.poll();
            } else if (words[0].equals("remove")) {
                result = queue.remove(elements.get(words[1]));
            } else {
                throw new IllegalArgumentException(line);
            }
            String heap = Arrays.stream(queue.toArray())
                .map(Object::toString)
                .collect(Collectors.joining(" "));
            JdkTimers.print("script." + number++, result + ": " + heap);
        }
    }
}
