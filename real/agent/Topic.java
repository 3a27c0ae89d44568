package wheelproof.agent;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A topic: a record for each line, with the run as its key and the number of the line as a header.
 *
 * <p>A record waits for room in the producer's buffer. Meanwhile the events wait in the agent's
 * memory; where that is full, they are lost and counted.
 */
final class Topic implements Target {
    private static final String LINE = "wheelproof-line";
    private static final int DELIVERY_MS = 120_000;
    /** So long after the first timer the header is written, and so long without any. */
    private static final long CALM_NS = 500_000_000L, LONGEST_NS = 5_000_000_000L;

    private final String topic;
    private final byte[] key;
    private final KafkaProducer<byte[], byte[]> producer;
    private final long started = System.nanoTime();
    private long lines, timers, changed = started;
    private volatile Exception failure;

    Topic(Options options) {
        topic = options.topic;
        key = options.run.getBytes(StandardCharsets.UTF_8);
        producer = new KafkaProducer<>(
            Map.of("bootstrap.servers", options.servers, "acks", "all",
                "enable.idempotence", true, "linger.ms", 20,
                "delivery.timeout.ms", DELIVERY_MS, "max.block.ms", DELIVERY_MS),
            new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** The header has the timers of the beginning: it cannot be written anew. */
    @Override
    public boolean due() {
        long now = System.nanoTime(), there = Recorder.WHEELS.size();
        if (there != timers) {
            timers = there;
            changed = now;
        }
        return now - changed > (there == 0 ? LONGEST_NS : CALM_NS);
    }

    @Override
    public OutputStream begin(byte[] header) throws IOException {
        send(header, 0, header.length);
        return new OutputStream() {
            @Override
            public void write(int each) {
                throw new UnsupportedOperationException("a line is written at once");
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                send(bytes, from, length);
            }
        };
    }

    /** Sends a line, without its end. */
    private void send(byte[] bytes, int from, int length) throws IOException {
        check();
        RecordHeader number =
            new RecordHeader(LINE, Long.toString(++lines).getBytes(StandardCharsets.US_ASCII));
        byte[] line = Arrays.copyOfRange(bytes, from, from + length - 1);
        try {
            producer.send(new ProducerRecord<>(topic, null, key, line, List.of(number)),
                (taken, error) -> failure = failure == null ? error : failure);
        } catch (RuntimeException error) {
            failure = error;
            check();
        }
    }

    private void check() throws Away {
        if (failure != null) {
            producer.close(Duration.ZERO);
            throw new Away(topic, failure);
        }
    }

    @Override
    public void end(byte[] header, byte[] footer) throws IOException {
        send(footer, 0, footer.length);
        producer.flush();
        check();
        producer.close();
    }

    /** The brokers do not take the records. */
    static final class Away extends IOException {
        Away(String topic, Exception cause) {
            super("topic " + topic + " takes no records: " + cause.getMessage(), cause);
        }
    }
}
