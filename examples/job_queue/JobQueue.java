import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;

/** Jobs wait in a queue, and workers take them in their order. */
public class JobQueue {
    final Queue<Integer> waiting = new ArrayDeque<>();
    final Map<String, Integer> busy = new TreeMap<>();
    private final int limit;

    public JobQueue(int limit) {
        this.limit = limit;
    }

    public synchronized boolean put(int job) {
        return waiting.size() < limit && waiting.add(job);
    }

    public synchronized int take(String worker) {
        busy.put(worker, waiting.remove());
        return busy.get(worker);
    }

    public synchronized void finish(String worker) {
        busy.remove(worker);
    }
}

/** A method for each action, and the variables of the specification. */
class Adapter {
    private final JobQueue jobs = new JobQueue(2);

    void Put(int job) {
        jobs.put(job);
    }

    void Take(String worker) {
        jobs.take(worker);
    }

    void Finish(String worker) {
        jobs.finish(worker);
    }

    Map<String, Object> state() {
        Map<String, Integer> holds = new TreeMap<>(Map.of("ada", 0, "bob", 0));
        holds.putAll(jobs.busy);
        return Map.of("queue", new ArrayList<>(jobs.waiting), "holds", holds);
    }
}
