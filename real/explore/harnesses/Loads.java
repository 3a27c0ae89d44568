package org.apache.kafka.coordinator.common.runtime;

import java.lang.reflect.Proxy;
import java.util.*;
import java.util.concurrent.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.timeline.SnapshotRegistry;

/** A broker leads a partition, follows, and leads again, while its loads read the log. */
class Loads implements CoordinatorLoader<String>, CoordinatorEventProcessor {
    private static final TopicPartition PARTITION = new TopicPartition("__consumer_offsets", 0);
    private record Shard(List<String> records) implements CoordinatorShard<String> {
        @Override public void replay(long offset, long producer, short epoch, String record) {
            records.add(record);
        }
    }

    private static class Metrics extends CoordinatorMetrics {
        @Override public CoordinatorMetricsShard newMetricsShard(SnapshotRegistry snapshots,
                TopicPartition partition) { return null; }
        @Override public void activateMetricsShard(CoordinatorMetricsShard shard) { }
        @Override public void deactivateMetricsShard(CoordinatorMetricsShard shard) { }
        @Override public void onUpdateLastCommittedOffset(TopicPartition of, long offset) { }
    }

    /** One event of the partition at a time. */
    @Override public synchronized void enqueueLast(CoordinatorEvent event) {
        try {
            event.run();
        } catch (Throwable error) {
            event.complete(error);
        }
    }

    @Override public void enqueueFirst(CoordinatorEvent event) { enqueueLast(event); }

    @Override public CompletableFuture<LoadSummary> load(TopicPartition partition,
            CoordinatorPlayback<String> coordinator) {
        CompletableFuture<LoadSummary> load = new CompletableFuture<>();
        new Thread(() -> {
            coordinator.replay(0, -1, (short) -1, "record");
            coordinator.updateLastWrittenOffset(1L);
            coordinator.updateLastCommittedOffset(1L);
            load.complete(new LoadSummary(0, 0, 0, 1, 0));
        }).start();
        return load;
    }

    @Override public void close() { }

    private static <T> T idle(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (self, method, arguments) -> method.getName().equals("build")
                        ? new Shard(new ArrayList<>())
                        : method.getReturnType().isInstance(self) ? self : null));
    }

    void run() {
        CoordinatorRuntime<Shard, String> runtime = new CoordinatorRuntime.Builder<Shard, String>()
                .withEventProcessor(this).withLoader(this)
                .withPartitionWriter(idle(PartitionWriter.class))
                .withCoordinatorShardBuilderSupplier(() -> idle(CoordinatorShardBuilder.class))
                .withTime(Time.SYSTEM).withTimer(idle(Timer.class))
                .withCoordinatorRuntimeMetrics(idle(CoordinatorRuntimeMetrics.class))
                .withCoordinatorMetrics(new Metrics()).withSerializer(idle(Serializer.class))
                .withExecutorService(idle(ExecutorService.class))
                .withCachedBufferMaxBytesSupplier(() -> 1).build();
        runtime.scheduleLoadOperation(PARTITION, 1);
        runtime.scheduleUnloadOperation(PARTITION, OptionalInt.of(2));
        runtime.scheduleLoadOperation(PARTITION, 3);
        List<String> records = runtime.scheduleReadOperation("read", PARTITION,
                (shard, offset) -> List.copyOf(shard.records))
                .exceptionally(refused -> List.of("refused")).join();
        assert !records.isEmpty() : "the coordinator serves, and nothing is loaded";
    }
}
