package kafka.server.share;

import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import kafka.server.ReplicaManager;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.internals.ShareAcquireMode;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.group.GroupConfigManager;
import org.apache.kafka.server.purgatory.DelayedOperation;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;
import org.apache.kafka.server.share.acknowledge.ShareAcknowledgementBatch;
import org.apache.kafka.server.share.fetch.DelayedShareFetchGroupKey;
import org.apache.kafka.server.share.metrics.SharePartitionMetrics;
import org.apache.kafka.server.share.persister.PartitionFactory;
import org.apache.kafka.server.share.persister.Persister;
import org.apache.kafka.server.share.persister.TopicData;
import org.apache.kafka.server.share.persister.WriteShareGroupStateResult;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.server.storage.log.FetchPartitionData;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.Timer;

/**
 * Releases records of a share partition: the argument is share_release or share_split.
 *
 * There is one thread, and no lock times out. Exit codes: 9 the defect is there, 0 it is not, 2 a
 * control failed.
 */
public class SharePartitions {
    static final TopicIdPartition TP =
        new TopicIdPartition(Uuid.randomUuid(), new TopicPartition("t", 0));
    static final DelayedShareFetchGroupKey KEY = new DelayedShareFetchGroupKey("g", TP);
    static final int RECORDS = 10;

    static boolean asItMustBe = true;
    static boolean defect;

    final Deque<CompletableFuture<WriteShareGroupStateResult>> writes = new ArrayDeque<>();
    final DelayedOperationPurgatory<DelayedOperation> purgatory =
        new DelayedOperationPurgatory<>("ShareFetch", new SystemTimer("t"), 0, 1000, false, false);
    final ReplicaManager replicas = blank(ReplicaManager.class);
    final SharePartition partition;

    SharePartitions(String title) throws ReflectiveOperationException {
        System.out.println(title);
        set(replicas, "delayedShareFetchPurgatory", purgatory);
        GroupConfigManager configs = blank(GroupConfigManager.class);
        set(configs, "configMap", new ConcurrentHashMap<>());
        partition = new SharePartition("g", TP, 0, 2000, 5, 30_000, idle(Timer.class), Time.SYSTEM,
            idle(Persister.class), replicas, configs, SharePartition.SharePartitionState.ACTIVE,
            null, new SharePartitionMetrics("g" + System.nanoTime(), "t", 0));
        acquire("m1");
    }

    /** An object whose constructor was not called. */
    static <T> T blank(Class<T> type) throws ReflectiveOperationException {
        Field unsafe = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        unsafe.setAccessible(true);
        return type.cast(((sun.misc.Unsafe) unsafe.get(null)).allocateInstance(type));
    }

    static void set(Object object, String name, Object value) throws ReflectiveOperationException {
        Field field = object.getClass().getDeclaredField(name);
        field.setAccessible(true);
        field.set(object, value);
    }

    /** An object whose methods do nothing, but that writes of state wait. */
    <T> T idle(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
            (self, method, arguments) -> {
                if (!method.getName().equals("writeState")) {
                    return null;
                }
                writes.add(new CompletableFuture<>());
                return writes.getLast();
            }));
    }

    /** The response to the write of state that waits. */
    void written(boolean success) {
        if (success) {
            writes.remove().complete(new WriteShareGroupStateResult.Builder().setTopicsData(List.of(
                new TopicData<>(TP.topicId(), List.of(
                    PartitionFactory.newPartitionErrorData(0, (short) 0, null))))).build());
        } else {
            writes.remove().completeExceptionally(new IllegalStateException("the write failed"));
        }
    }

    /** What a member acquires, from the next offset to fetch on. */
    String acquire(String member) {
        long offset = partition.nextFetchOffset();
        int count = (int) Math.max(1, RECORDS - offset);
        SimpleRecord[] records = new SimpleRecord[count];
        java.util.Arrays.setAll(records, number -> new SimpleRecord(new byte[1]));
        FetchPartitionData data = new FetchPartitionData(Errors.NONE, 100, 0,
            MemoryRecords.withRecords(offset, Compression.NONE, records), Optional.empty(),
            OptionalLong.empty(), Optional.empty(), OptionalInt.empty(), false);
        try {
            StringBuilder acquired = new StringBuilder();
            partition.acquire(member, ShareAcquireMode.BATCH_OPTIMIZED, 500, 500, offset, data,
                FetchIsolation.HIGH_WATERMARK).acquiredRecords().forEach(batch ->
                    acquired.append(batch.firstOffset()).append(" to ").append(batch.lastOffset()));
            return acquired.toString();
        } catch (RuntimeException error) {
            return "at " + offset + ": " + error.getMessage();
        }
    }

    void release() {
        partition.acknowledge("m1", List.of(new ShareAcknowledgementBatch(
            0, RECORDS - 1, List.of(AcknowledgeType.RELEASE.id))));
    }

    /** Whether a member holds a record, with or without a release under way. */
    String state(long offset) {
        var batch = partition.cachedState().get(0L);
        return batch.offsetState() == null ? batch.batchState() + " by " + batch.batchMemberId()
            : batch.offsetState().get(offset).state() + " by "
                + batch.offsetState().get(offset).memberId();
    }

    static boolean asExpected(String step, String answer, String expected) {
        System.out.printf("  %-30s %s%n", step, answer);
        return answer.equals(expected);
    }

    static void control(String step, String answer, String expected) {
        asItMustBe &= asExpected(step, answer, expected);
    }

    static void judge(String step, String answer, String expected) {
        defect |= !asExpected(step, answer, expected);
    }

    /** A share fetch that is completed once there is a record to acquire. */
    class Fetch extends DelayedOperation {
        Fetch() {
            super(60_000);
            purgatory.tryCompleteElseWatch(this, List.of(KEY));
        }

        @Override
        public boolean tryComplete() {
            return partition.nextFetchOffset() < RECORDS && forceComplete();
        }

        @Override
        public void onComplete() { }

        @Override
        public void onExpiration() { }

        String state() {
            return isCompleted() ? "the fetch is completed" : "the fetch waits";
        }
    }

    /** SharePartitionManager.acknowledge notifies when the call returns, not when it is written. */
    static void shareRelease() throws Exception {
        SharePartitions share = new SharePartitions("m1 releases 0 to 9, a fetch waits for them");
        Fetch fetch = share.new Fetch();
        control("before", fetch.state(), "the fetch waits");
        share.release();
        share.written(true);
        share.replicas.completeDelayedShareFetchRequest(KEY);
        control("written, then notified", fetch.state(), "the fetch is completed");

        share = new SharePartitions("the same, and the write takes its time");
        fetch = share.new Fetch();
        share.release();
        share.replicas.completeDelayedShareFetchRequest(KEY);
        control("notified, not yet written", fetch.state(), "the fetch waits");
        share.written(true);
        control("written: next offset to fetch", "" + share.partition.nextFetchOffset(), "0");
        judge("", fetch.state(), "the fetch is completed");
    }

    static void shareSplit() throws Exception {
        SharePartitions share = new SharePartitions("m1 releases 0 to 9");
        share.release();
        share.written(true);
        control("written: m2 acquires", share.acquire("m2"), "0 to 9");

        share = new SharePartitions("the same, and the log starts at 5 before it is written");
        share.release();
        share.partition.updateCacheAndOffsets(5);
        share.written(true);
        judge("written: m2 acquires", share.acquire("m2"), "5 to 9");

        share = new SharePartitions("the same, and the write fails");
        share.release();
        share.partition.updateCacheAndOffsets(5);
        share.written(false);
        judge("failed: record 5 is", share.state(5), "ACQUIRED by m1");
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("share_release")) {
            shareRelease();
        } else {
            shareSplit();
        }
        System.exit(asItMustBe ? defect ? 9 : 0 : 2);
    }
}
