import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.coordinator.common.runtime.EventAccumulator;

/** Two threads take events of two keys, while they are added. */
class Accumulated {
    private record Event(Integer key, int number) implements EventAccumulator.Event<Integer> { }

    private final EventAccumulator<Integer, Event> events =
            new EventAccumulator<>(new Random(0));
    /** No lock: of a key, one event is handled at a time. */
    private final Map<Integer, List<Integer>> handled =
            Map.of(1, new ArrayList<>(), 2, new ArrayList<>());

    private void handle() {
        Event event = events.poll(1, TimeUnit.SECONDS);
        if (event != null) {
            handled.get(event.key).add(event.number);
            events.done(event);
        }
    }

    void run() throws InterruptedException {
        Thread one = new Thread(this::handle);
        Thread other = new Thread(this::handle);
        one.start();
        other.start();
        events.addLast(new Event(1, 1));
        events.addLast(new Event(1, 2));
        events.addLast(new Event(2, 3));
        one.join();
        other.join();
        List<Integer> first = handled.get(1);
        int count = first.size() + handled.get(2).size();
        assert events.size() + count == 3 : events.size() + " left, handled " + handled;
        assert List.of(1, 2).subList(0, first.size()).equals(first) : "handled in order " + first;
    }
}
