import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.queue.EventQueue;
import org.apache.kafka.queue.KafkaEventQueue;

/** Two threads append events, one of which is deferred, and the queue is closed. */
class Queued {
    private final List<String> handled = new ArrayList<>();

    private EventQueue.Event event(String name) {
        return new EventQueue.Event() {
            @Override
            public void run() {
                handled.add(name);
            }

            @Override
            public void handleException(Throwable error) {
                synchronized (Queued.this) {
                    handled.add(name + " is refused");
                }
            }
        };
    }

    void run() throws InterruptedException {
        KafkaEventQueue queue = new KafkaEventQueue(Time.SYSTEM, new LogContext(), "events-");
        Thread other = new Thread(() -> queue.scheduleDeferred("tag",
                deadline -> OptionalLong.of(Time.SYSTEM.nanoseconds() + 5), event("deferred")));
        other.start();
        queue.append(event("first"));
        queue.append(event("second"));
        other.join();
        queue.close();
        assert handled.indexOf("first") >= 0
                && handled.indexOf("first") < handled.indexOf("second") : handled;
        assert handled.size() == 3 && queue.size() == 0 : handled + ", left " + queue.size();
    }
}
