package kafka.server.share;

import java.lang.reflect.Proxy;
import java.util.*;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.internals.ShareAcquireMode;
import org.apache.kafka.common.*;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.*;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.group.*;
import org.apache.kafka.coordinator.group.modern.share.ShareGroupConfig;
import org.apache.kafka.server.share.acknowledge.ShareAcknowledgementBatch;
import org.apache.kafka.server.share.metrics.SharePartitionMetrics;
import org.apache.kafka.server.share.persister.*;
import org.apache.kafka.server.storage.log.*;
import org.apache.kafka.server.util.timer.Timer;
import sun.reflect.ReflectionFactory;

/** A member releases its records while retention moves the start of the log into them. */
class Release {
    /** Made without its constructor, which starts a thread for all metrics. */
    private static class Metrics extends SharePartitionMetrics {
        Metrics() { super("group", "topic", 0); }

        @Override public void registerInFlightMessageCount(Supplier<Integer> count) { }
        @Override public void registerInFlightBatchCount(Supplier<Integer> count) { }
        @Override public void recordInFlightBatchMessageCount(long count) { }
    }

    private static final TopicIdPartition PARTITION =
            new TopicIdPartition(new Uuid(1, 2), new TopicPartition("topic", 0));
    private static final SimpleRecord RECORD = new SimpleRecord(new byte[1]);
    private static final GroupConfigManager CONFIGS = new GroupConfigManager(Map.of(),
            new GroupCoordinatorConfig(new AbstractConfig(GroupCoordinatorConfig.CONFIG_DEF,
                    Map.of())), ShareGroupConfig.fromProps(Map.of()));
    private Thread write;
    private Object write() {
        CompletableFuture<WriteShareGroupStateResult> written = new CompletableFuture<>();
        write = new Thread(() -> written.complete(new WriteShareGroupStateResult.Builder()
                .setTopicsData(List.of(new TopicData<>(PARTITION.topicId(), List.of(
                        PartitionFactory.newPartitionErrorData(0, (short) 0, null))))).build()));
        write.start();
        return written;
    }

    private <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (self, method, given) -> method.getName().equals("writeState") ? write() : null));
    }

    private static int acquire(SharePartition partition, String member) {
        return partition.acquire(member, ShareAcquireMode.BATCH_OPTIMIZED, 500, 500,
                partition.nextFetchOffset(), new FetchPartitionData(Errors.NONE, 2, 0,
                        MemoryRecords.withRecords(0, Compression.NONE, RECORD, RECORD),
                        Optional.empty(), OptionalLong.empty(), Optional.empty(),
                        OptionalInt.empty(), false), FetchIsolation.HIGH_WATERMARK).count();
    }

    void run() throws Exception {
        var blank = ReflectionFactory.getReflectionFactory().newConstructorForSerialization(
                Metrics.class, Object.class.getConstructor());
        SharePartition partition = new SharePartition("group", PARTITION, 0, 2000, 5, 30_000,
                fake(Timer.class), Time.SYSTEM, fake(Persister.class), null, CONFIGS,
                SharePartition.SharePartitionState.ACTIVE, null,
                (Metrics) blank.newInstance());
        acquire(partition, "one");
        partition.acknowledge("one", List.of(new ShareAcknowledgementBatch(
                0, 1, List.of(AcknowledgeType.RELEASE.id))));
        partition.updateCacheAndOffsets(1);
        write.join();
        assert acquire(partition, "other") == 1 : "record 1 cannot be acquired";
    }
}
