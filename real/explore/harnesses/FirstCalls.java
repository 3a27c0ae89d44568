import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.clients.RequestCompletionHandler;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.server.util.NetworkPartitionMetadataClient;
import org.apache.kafka.server.util.timer.Timer;

/** Two threads are the first to ask for offsets. */
class FirstCalls {
    private static final Set<TopicPartition> PARTITIONS = Set.of(new TopicPartition("topic", 0));

    /** An object that names the leader, and whose client sends nothing. */
    private static <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (self, method, given) -> {
                    if (method.getName().equals("getPartitionLeaderEndpoint")) {
                        return Optional.of(new Node(1, "localhost", 9092));
                    } else if (method.getName().equals("newClientRequest")) {
                        return new ClientRequest((String) given[0],
                                (AbstractRequest.Builder<?>) given[1], 1, "client", (Long) given[2],
                                true, 1_000, (RequestCompletionHandler) given[5]);
                    } else if (method.getName().equals("poll")) {
                        Thread.sleep((Long) given[0]);
                    }
                    Class<?> result = method.getReturnType();
                    return result == boolean.class ? (Object) false : result == long.class ? 100L
                            : result == int.class ? 0 : result == List.class ? List.of() : null;
                }));
    }

    void run() throws InterruptedException {
        KafkaClient network = fake(KafkaClient.class);
        NetworkPartitionMetadataClient client = new NetworkPartitionMetadataClient(
                fake(MetadataCache.class), () -> network, Time.SYSTEM,
                new ListenerName("PLAINTEXT"), fake(Timer.class));
        Thread other = new Thread(() -> client.listLatestOffsets(PARTITIONS));
        other.start();
        client.listLatestOffsets(PARTITIONS);
        other.join();
    }
}
