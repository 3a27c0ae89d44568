package org.apache.kafka.coordinator.common.runtime;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.timeline.SnapshotRegistry;

/** A broker leads a partition, follows, and leads again, while its loader reads the log. */
class Loads implements CoordinatorLoader<String> {
    private static final TopicPartition PARTITION = new TopicPartition("__consumer_offsets", 0);
    private static final List<String> LOG = List.of("a", "b", "c");

    private record Shard(List<String> records) implements CoordinatorShard<String> {
        @Override
        public void replay(long offset, long producer, short epoch, String record) {
            records.add(record);
        }
    }

    private static final class Metrics extends CoordinatorMetrics {
        @Override
        public CoordinatorMetricsShard newMetricsShard(SnapshotRegistry all, TopicPartition of) {
            return null;
        }

        @Override
        public void activateMetricsShard(CoordinatorMetricsShard shard) { }

        @Override
        public void deactivateMetricsShard(CoordinatorMetricsShard shard) { }

        @Override
        public void onUpdateLastCommittedOffset(TopicPartition partition, long offset) { }
    }

    private final ExecutorService loader = Executors.newSingleThreadExecutor();

    /** As a broker's loader: one thread, one partition after the other. */
    @Override
    public CompletableFuture<LoadSummary> load(TopicPartition of, CoordinatorPlayback<String> to) {
        CompletableFuture<LoadSummary> future = new CompletableFuture<>();
        loader.execute(() -> {
            for (int offset = 0; offset < LOG.size(); offset++) {
                to.replay(offset, -1, (short) -1, LOG.get(offset));
            }
            to.updateLastWrittenOffset((long) LOG.size());
            to.updateLastCommittedOffset((long) LOG.size());
            future.complete(new LoadSummary(0, 0, 0, LOG.size(), 0));
        });
        return future;
    }

    @Override
    public void close() { }

    private static <T> T idle(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (self, method, arguments) -> method.getName().equals("build")
                        ? new Shard(new ArrayList<>())
                        : method.getReturnType().isInstance(self) ? self : null));
    }

    @SuppressWarnings("unchecked")
    void run() throws InterruptedException {
        CoordinatorRuntimeMetrics metrics = idle(CoordinatorRuntimeMetrics.class);
        CoordinatorRuntime<Shard, String> runtime = new CoordinatorRuntime.Builder<Shard, String>()
                .withEventProcessor(new MultiThreadedEventProcessor(
                        new LogContext(), "events-", 1, Time.SYSTEM, metrics))
                .withPartitionWriter(idle(PartitionWriter.class))
                .withLoader(this)
                .withCoordinatorShardBuilderSupplier(() -> idle(CoordinatorShardBuilder.class))
                .withTime(Time.SYSTEM)
                .withTimer(idle(Timer.class))
                .withCoordinatorRuntimeMetrics(metrics)
                .withCoordinatorMetrics(new Metrics())
                .withSerializer(idle(Serializer.class))
                .withExecutorService(loader)
                .withCachedBufferMaxBytesSupplier(() -> 1024)
                .build();
        runtime.scheduleLoadOperation(PARTITION, 1);
        runtime.scheduleUnloadOperation(PARTITION, OptionalInt.of(2));
        runtime.scheduleLoadOperation(PARTITION, 3);
        try {
            List<String> records = runtime.scheduleReadOperation("read", PARTITION,
                    (shard, offset) -> List.copyOf(shard.records)).get();
            assert records.equals(LOG) : "the coordinator serves " + records;
        } catch (ExecutionException refused) {
            // it has not been loaded
        }
    }
}
