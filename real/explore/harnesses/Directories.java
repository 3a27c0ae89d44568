package org.apache.kafka.server;

import com.yammer.metrics.core.MetricsRegistry;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.requests.AssignReplicasToDirsRequest;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.image.TopicsImage;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.NodeToControllerChannelManager;
import org.apache.kafka.server.common.TopicIdPartition;

/** A replica is put into a directory, and at once into another one. */
class Directories {
    private static final Uuid TOPIC = new Uuid(1, 2);
    private static final Uuid ONE = new Uuid(3, 4);
    private static final Uuid OTHER = new Uuid(5, 6);
    private static final TopicIdPartition PARTITION = new TopicIdPartition(TOPIC, 0);
    private static final MetadataImage EMPTY = MetadataImage.EMPTY;
    private static final MetadataImage IMAGE = new MetadataImage(EMPTY.provenance(),
            EMPTY.features(), EMPTY.cluster(), TopicsImage.EMPTY.including(new TopicImage("topic",
                    TOPIC, Map.of(0, new PartitionRegistration.Builder()
                            .setReplicas(new int[] {1}).setDirectories(new Uuid[] {ONE})
                            .setIsr(new int[] {1}).setLeader(1).setLeaderEpoch(0)
                            .setLeaderRecoveryState(LeaderRecoveryState.RECOVERED)
                            .setPartitionEpoch(0).build()))),
            EMPTY.configs(), EMPTY.clientQuotas(), EMPTY.producerIds(), EMPTY.acls(),
            EMPTY.scram(), EMPTY.delegationTokens());
    private final List<Uuid> sent = new CopyOnWriteArrayList<>();

    private Object send(Object request) {
        sent.add(((AssignReplicasToDirsRequest.Builder) request).build().data()
                .directories().get(0).id());
        return null;
    }

    /** No request has an answer, so the second one is not sent behind the first one. */
    void run() throws InterruptedException {
        Class<?> type = NodeToControllerChannelManager.class;
        AssignmentsManager manager = new AssignmentsManager(AssignmentsManager.STANDARD_BACKOFF,
                Time.SYSTEM, (NodeToControllerChannelManager) Proxy.newProxyInstance(
                        type.getClassLoader(), new Class<?>[] {type}, (self, method, given) ->
                                method.getName().equals("sendRequest") ? send(given[0]) : null),
                1, () -> IMAGE, Uuid::toString, new MetricsRegistry());
        manager.onAssignment(PARTITION, ONE, "first", () -> { });
        manager.onAssignment(PARTITION, OTHER, "second", () -> { });
        manager.close();
        assert sent.contains(OTHER) || manager.numPending() == sent.size() + 1
                : "the later directory is neither sent nor waits";
    }
}
