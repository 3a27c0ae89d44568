import java.nio.file.Files;
import java.nio.file.Path;
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
 * Keeps brokers busy: {@code Clients ADDRESSES MS IDLE REPLICAS FILE}. One producer, which waits
 * for all replicas in sync, and one consumer of a topic, a group that commits, and consumers of an
 * empty topic whose fetches wait until they expire. The file is made after the first message.
 */
public final class Clients {
    private static final int LONGEST_WAIT_MS = 300;
    /** Longer than who starts this waits for it. */
    private static final int LONGEST_MS = 3_600_000;

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

    private static KafkaProducer<byte[], byte[]> producer(String address) {
        return new KafkaProducer<>(Map.of("bootstrap.servers", address, "acks", "all",
                "delivery.timeout.ms", LONGEST_MS, "max.block.ms", LONGEST_MS),
            new ByteArraySerializer(), new ByteArraySerializer());
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

    /** Waits until so many brokers are there. */
    private static void await(Admin admin, int brokers) throws Exception {
        while (admin.describeCluster().nodes().get().size() < brokers) {
            Thread.sleep(200);
        }
    }

    public static void main(String[] arguments) throws Exception {
        String address = arguments[0];
        long length = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(arguments[1]));
        int idle = Integer.parseInt(arguments[2]);
        short replicas = Short.parseShort(arguments[3]);
        Path begun = Path.of(arguments[4]);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", address,
                "default.api.timeout.ms", LONGEST_MS))) {
            await(admin, replicas);
            Map<String, String> insync =
                Map.of("min.insync.replicas", Integer.toString(Math.min(2, replicas)));
            admin.createTopics(List.of(new NewTopic("busy", replicas, replicas).configs(insync),
                    new NewTopic("idle", 1, replicas)))
                .all().get();
        }
        AtomicLong sent = new AtomicLong(), consumed = new AtomicLong();
        try (KafkaProducer<byte[], byte[]> producer = producer(address)) {
            producer.send(new ProducerRecord<>("busy", new byte[100])).get();
        }
        Files.createFile(begun);
        long end = System.nanoTime() + length;
        List<Thread> threads = new ArrayList<>();
        threads.add(new Thread(() -> {
            try (KafkaProducer<byte[], byte[]> producer = producer(address)) {
                while (System.nanoTime() < end) {
                    int partition = (int) (sent.get() % replicas);
                    producer.send(new ProducerRecord<>("busy", partition, null, new byte[100]))
                        .get();
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
