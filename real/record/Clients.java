import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Keeps a broker busy: {@code Clients ADDRESS MS IDLE}. One producer and one consumer of a topic,
 * a group that commits, and consumers of an empty topic whose fetches wait until they expire.
 */
public final class Clients {
    private static final int LONGEST_WAIT_MS = 300;

    private Clients() { }

    private static Properties consumer(String address, String group) {
        Properties properties = new Properties();
        properties.putAll(Map.of("bootstrap.servers", address, "group.id", group,
            "auto.offset.reset", "earliest", "fetch.min.bytes", "1",
            "fetch.max.wait.ms", Integer.toString(LONGEST_WAIT_MS),
            "key.deserializer", ByteArrayDeserializer.class.getName(),
            "value.deserializer", ByteArrayDeserializer.class.getName()));
        return properties;
    }

    private static void consume(String address, String topic, String group, boolean member,
            long end, AtomicLong count) {
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(consumer(address, group))) {
            if (member) {
                consumer.subscribe(List.of(topic));
            } else {
                consumer.assign(List.of(new TopicPartition(topic, 0)));
            }
            while (System.nanoTime() < end) {
                count.addAndGet(consumer.poll(Duration.ofMillis(LONGEST_WAIT_MS)).count());
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        String address = arguments[0];
        long length = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(arguments[1]));
        int idle = Integer.parseInt(arguments[2]);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
            short one = 1;
            admin.createTopics(List.of(new NewTopic("busy", 1, one), new NewTopic("idle", 1, one)))
                .all().get(60, TimeUnit.SECONDS);
        }
        long end = System.nanoTime() + length;
        AtomicLong sent = new AtomicLong(), consumed = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        threads.add(new Thread(() -> {
            try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(Map.of(
                    "bootstrap.servers", address, "acks", "all"),
                    new ByteArraySerializer(), new ByteArraySerializer())) {
                while (System.nanoTime() < end) {
                    producer.send(new ProducerRecord<>("busy", new byte[100])).get();
                    sent.incrementAndGet();
                    Thread.sleep(5);
                }
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
        }));
        threads.add(new Thread(() -> consume(address, "busy", "readers", true, end, consumed)));
        for (int each = 0; each < idle; each++) {
            threads.add(new Thread(() -> consume(address, "idle", "none", false, end, consumed)));
        }
        threads.forEach(Thread::start);
        for (Thread each : threads) {
            each.join();
        }
        System.out.println("sent " + sent + ", consumed " + consumed);
    }
}
