import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.server.util.NetworkPartitionMetadataClient;
import org.apache.kafka.server.util.timer.Timer;

/**
 * Calls a client of partition metadata a second time while its first call starts the send thread.
 *
 * Exit codes: 9 the defect is there, 0 it is not, 2 a control failed.
 */
public class FirstCallers {
    static final Set<TopicPartition> PARTITIONS = Set.of(new TopicPartition("t", 0));

    static Runnable whileStarting = () -> { };

    final NetworkPartitionMetadataClient client = new NetworkPartitionMetadataClient(
        fake(MetadataCache.class), () -> {
            whileStarting.run();
            return fake(KafkaClient.class);
        }, Time.SYSTEM, new ListenerName("PLAINTEXT"), fake(Timer.class));
    String answer = "";

    /** An object that names the leader, and whose client sends nothing. */
    static <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
            (self, method, arguments) -> {
                if (method.getName().equals("getPartitionLeaderEndpoint")) {
                    return Optional.of(new Node(1, "localhost", 9092));
                }
                if (method.getName().equals("newClientRequest")) {
                    new CountDownLatch(1).await();
                }
                Class<?> result = method.getReturnType();
                return result == boolean.class ? (Object) false : result == long.class ? 100L
                    : result == int.class ? 0 : result == List.class ? List.of() : null;
            }));
    }

    void call() {
        try {
            answer = client.listLatestOffsets(PARTITIONS).size() + " future";
        } catch (RuntimeException error) {
            answer = error.getClass().getSimpleName();
        }
    }

    static boolean answered(String title, String answer) {
        System.out.printf("%-46s %s%n", title, answer);
        return answer.equals("1 future");
    }

    public static void main(String[] arguments) throws Exception {
        FirstCallers callers = new FirstCallers();
        callers.call();
        boolean asItMustBe = answered("the first call", callers.answer);
        callers.call();
        asItMustBe &= answered("the second call, after it", callers.answer);

        FirstCallers beside = new FirstCallers();
        Thread second = new Thread(beside::call);
        whileStarting = () -> {
            second.start();
            while (second.isAlive() && second.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
        };
        beside.client.listLatestOffsets(PARTITIONS);
        second.join();
        boolean defect = !answered("a second call while the first one starts it", beside.answer);
        System.exit(asItMustBe ? defect ? 9 : 0 : 2);
    }
}
