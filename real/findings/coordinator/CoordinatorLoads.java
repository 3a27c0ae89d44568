import com.yammer.metrics.core.MetricsRegistry;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorEvent;
import org.apache.kafka.coordinator.common.runtime.CoordinatorEventProcessor;
import org.apache.kafka.coordinator.common.runtime.CoordinatorLoader;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetrics;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetricsShard;
import org.apache.kafka.coordinator.common.runtime.CoordinatorPlayback;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntimeMetrics;
import org.apache.kafka.coordinator.common.runtime.CoordinatorShard;
import org.apache.kafka.coordinator.common.runtime.CoordinatorShardBuilder;
import org.apache.kafka.coordinator.common.runtime.PartitionWriter;
import org.apache.kafka.coordinator.common.runtime.Serializer;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.timeline.SnapshotRegistry;

/**
 * Loads of a coordinator of released Kafka: the argument is stale_load or high_watermark.
 *
 * There is one thread and no clock. Exit codes: 9 the defect is there, 0 it is not, 2 a control
 * failed.
 */
public class CoordinatorLoads {
    static final TopicPartition TP = new TopicPartition("__consumer_offsets", 0);
    static final List<String> LOG = List.of("a", "b", "c");
    static final Duration TIMEOUT = Duration.ofSeconds(5);
    static final String LOADING = "refused: CoordinatorLoadInProgressException";
    static final String ALL = "reads " + LOG;

    static boolean asItMustBe = true;
    static boolean defect;

    final Deque<Load> loads = new ArrayDeque<>();
    PartitionWriter.Listener listener;
    final CoordinatorRuntime<Shard, String> runtime;

    CoordinatorLoads() throws ReflectiveOperationException {
        runtime = runtime();
    }

    /** The state of a coordinator: the records that were replayed. */
    static class Shard implements CoordinatorShard<String> {
        final List<String> records = new ArrayList<>();

        @Override
        public void replay(long offset, long producer, short producerEpoch, String record) {
            records.add(record);
        }
    }

    /** A load that waits for the loader's one thread. */
    record Load(CoordinatorPlayback<String> playback,
                CompletableFuture<CoordinatorLoader.LoadSummary> future) { }

    /** Loads of CoordinatorLoaderImpl's kind, which the program ends. */
    class Loader implements CoordinatorLoader<String> {
        @Override
        public CompletableFuture<LoadSummary> load(
            TopicPartition tp, CoordinatorPlayback<String> playback) {
            loads.add(new Load(playback, new CompletableFuture<>()));
            return loads.getLast().future();
        }

        @Override
        public void close() { }
    }

    /** The next load reads the log, at the end of which it sees a high watermark. */
    void read(long highWatermark) {
        CoordinatorPlayback<String> playback = loads.getFirst().playback();
        for (int offset = 0; offset < LOG.size(); offset++) {
            playback.replay(offset, -1, (short) -1, LOG.get(offset));
            if (offset + 1 >= highWatermark) {
                playback.updateLastWrittenOffset(offset + 1L);
            }
            if (offset + 1 == highWatermark) {
                playback.updateLastCommittedOffset(highWatermark);
            }
        }
    }

    void end() {
        loads.remove().future().complete(
            new CoordinatorLoader.LoadSummary(0, 0, 0, LOG.size(), 0));
    }

    void succeed() {
        read(LOG.size());
        end();
    }

    void fail() {
        Throwable error = new NotLeaderOrFollowerException("no longer the leader");
        loads.remove().future().completeExceptionally(error);
    }

    /** The followers have the whole log. Partition reports this to its listeners alone. */
    void replicated() {
        if (listener != null) {
            listener.onHighWatermarkUpdated(TP, LOG.size());
        }
    }

    /** Runs events in this thread, in their order. */
    static class Events implements CoordinatorEventProcessor {
        final Deque<CoordinatorEvent> queue = new ArrayDeque<>();
        boolean busy;

        @Override
        public void enqueueLast(CoordinatorEvent event) {
            queue.addLast(event);
            run();
        }

        @Override
        public void enqueueFirst(CoordinatorEvent event) {
            queue.addFirst(event);
            run();
        }

        void run() {
            for (; !busy && !queue.isEmpty(); busy = false) {
                busy = true;
                CoordinatorEvent event = queue.removeFirst();
                try {
                    event.run();
                } catch (Throwable error) {
                    event.complete(error);
                }
            }
        }

        @Override
        public void close() { }
    }

    static class Metrics extends CoordinatorMetrics {
        @Override
        public CoordinatorMetricsShard newMetricsShard(SnapshotRegistry all, TopicPartition tp) {
            return null;
        }

        @Override
        public void activateMetricsShard(CoordinatorMetricsShard shard) { }

        @Override
        public void deactivateMetricsShard(CoordinatorMetricsShard shard) { }

        public MetricsRegistry registry() { // until 4.2
            return null;
        }

        @Override
        public void onUpdateLastCommittedOffset(TopicPartition tp, long offset) { }
    }

    /** An object that builds a shard and keeps a listener; its other methods do nothing. */
    <T> T idle(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
            (self, method, arguments) -> {
                if (method.getName().equals("registerListener")) {
                    listener = (PartitionWriter.Listener) arguments[1];
                }
                return method.getName().equals("build") ? new Shard()
                    : method.getReturnType().isInstance(self) ? self : null;
            }));
    }

    @SuppressWarnings("unchecked")
    CoordinatorRuntime<Shard, String> runtime() throws ReflectiveOperationException {
        var builder = new CoordinatorRuntime.Builder<Shard, String>()
            .withEventProcessor(new Events())
            .withPartitionWriter(idle(PartitionWriter.class))
            .withLoader(new Loader())
            .withCoordinatorShardBuilderSupplier(() -> idle(CoordinatorShardBuilder.class))
            .withTime(Time.SYSTEM)
            .withTimer(idle(Timer.class))
            .withCoordinatorRuntimeMetrics(idle(CoordinatorRuntimeMetrics.class))
            .withCoordinatorMetrics(new Metrics())
            .withSerializer(idle(Serializer.class))
            .withExecutorService(idle(ExecutorService.class));
        Map<String, Object> later = Map.of( // since 4.3
            "withCachedBufferMaxBytesSupplier", (Supplier<Integer>) () -> 1024,
            "withWriteTimeout", TIMEOUT);
        for (Method method : builder.getClass().getMethods()) {
            if (later.containsKey(method.getName())) {
                method.invoke(builder, later.get(method.getName()));
            }
        }
        return builder.build();
    }

    /** What a client reads of the coordinator, for example committed offsets. */
    String read() throws Exception {
        try {
            return runtime.scheduleReadOperation("read", TP,
                (shard, offset) -> "reads " + shard.records.subList(0, (int) offset)).get();
        } catch (ExecutionException error) {
            return "refused: " + error.getCause().getClass().getSimpleName();
        }
    }

    /** A heartbeat that changes nothing: a write without records. */
    String heartbeat() throws ReflectiveOperationException {
        var write = (CoordinatorRuntime.CoordinatorWriteOperation<Shard, String, String>)
            shard -> new CoordinatorResult<>(List.of(), "answered");
        for (Method method : runtime.getClass().getMethods()) {
            if (method.getName().equals("scheduleWriteOperation")) {
                Object[] arguments = method.getParameterCount() == 3
                    ? new Object[] {"heartbeat", TP, write}
                    : new Object[] {"heartbeat", TP, TIMEOUT, write}; // until 4.2
                var future = (CompletableFuture<?>) method.invoke(runtime, arguments);
                return future.isDone() ? "is " + future.join() : "waits";
            }
        }
        throw new NoSuchMethodException("scheduleWriteOperation");
    }

    static boolean asExpected(String step, String answer, String expected) {
        System.out.printf("  %-26s %s%n", step, answer);
        return answer.equals(expected);
    }

    void control(String step, String expected) throws Exception {
        asItMustBe &= asExpected(step, read(), expected);
    }

    void judge(String step, String expected) throws Exception {
        defect |= !asExpected(step, read(), expected);
    }

    static CoordinatorLoads leader(String title) throws Exception {
        System.out.println(title);
        CoordinatorLoads broker = new CoordinatorLoads();
        broker.runtime.scheduleLoadOperation(TP, 1);
        return broker;
    }

    static CoordinatorLoads leaderAgain(String more) throws Exception {
        CoordinatorLoads broker = leader("leader of epoch 1, follower of 2, leader of 3" + more);
        broker.runtime.scheduleUnloadOperation(TP, OptionalInt.of(2));
        broker.runtime.scheduleLoadOperation(TP, 3);
        broker.control("both loads wait", LOADING);
        return broker;
    }

    static void staleLoad() throws Exception {
        CoordinatorLoads broker = leader("leader of epoch 1; the log has a, b, c");
        broker.control("the load waits", LOADING);
        broker.succeed();
        broker.control("the load ends", ALL);

        broker = leaderAgain("");
        broker.succeed();
        broker.judge("the load of epoch 1 ends", LOADING);
        broker.succeed();
        broker.control("the load of epoch 3 ends", ALL);

        broker = leaderAgain("; the load of epoch 1 fails");
        broker.fail();
        broker.judge("the load of epoch 1 fails", LOADING);
        broker.succeed();
        broker.judge("the load of epoch 3 ends", ALL);
    }

    static void highWatermark() throws Exception {
        CoordinatorLoads broker = leader("the log has a, b, c; the high watermark is 2");
        broker.read(2);
        broker.end();
        broker.control("the load ends", "reads [a, b]");
        broker.replicated();
        broker.control("the high watermark is 3", ALL);
        asItMustBe &= asExpected("a heartbeat", broker.heartbeat(), "is answered");

        broker = leader("the same, and it is 3 before the end of the load is handled");
        broker.read(2);
        broker.replicated();
        broker.end();
        broker.judge("the load ends", ALL);
        defect |= !asExpected("a heartbeat", broker.heartbeat(), "is answered");
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("stale_load")) {
            staleLoad();
        } else {
            highWatermark();
        }
        System.exit(asItMustBe ? defect ? 9 : 0 : 2);
    }
}
