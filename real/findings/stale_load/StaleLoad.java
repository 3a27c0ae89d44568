import com.yammer.metrics.core.MetricsRegistry;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
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
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntimeMetrics;
import org.apache.kafka.coordinator.common.runtime.CoordinatorShard;
import org.apache.kafka.coordinator.common.runtime.CoordinatorShardBuilder;
import org.apache.kafka.coordinator.common.runtime.PartitionWriter;
import org.apache.kafka.coordinator.common.runtime.Serializer;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.timeline.SnapshotRegistry;

/**
 * Makes a broker leader, follower and leader again before the coordinator's first load has ended.
 *
 * There is one thread and no clock. Exit codes: 9 the defect is there, 0 it is not, 2 a control
 * failed.
 */
public class StaleLoad {
    static final TopicPartition TP = new TopicPartition("__consumer_offsets", 0);
    static final List<String> LOG = List.of("a", "b", "c");
    static final String LOADING = "refused: CoordinatorLoadInProgressException";
    static final String ALL = "reads " + LOG;

    static boolean asItMustBe = true;
    static boolean defect;

    final Deque<Load> loads = new ArrayDeque<>();
    final CoordinatorRuntime<Shard, String> runtime;

    StaleLoad() throws ReflectiveOperationException {
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

    /** The next load reads the log and ends. */
    void succeed() {
        Load load = loads.remove();
        for (int offset = 0; offset < LOG.size(); offset++) {
            load.playback().replay(offset, -1, (short) -1, LOG.get(offset));
        }
        load.playback().updateLastWrittenOffset((long) LOG.size());
        load.playback().updateLastCommittedOffset((long) LOG.size());
        load.future().complete(new CoordinatorLoader.LoadSummary(0, 0, 0, LOG.size(), 0));
    }

    void fail() {
        Throwable error = new NotLeaderOrFollowerException("no longer the leader");
        loads.remove().future().completeExceptionally(error);
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

    /** An object whose methods do nothing; a builder builds a shard. */
    static <T> T idle(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
            (self, method, arguments) -> method.getName().equals("build") ? new Shard()
                : method.getReturnType().isInstance(self) ? self : null));
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
        for (Method method : builder.getClass().getMethods()) {
            if (method.getName().equals("withCachedBufferMaxBytesSupplier")) { // since 4.3
                method.invoke(builder, (Supplier<Integer>) () -> 1024);
            }
        }
        return builder.build();
    }

    /** What a client reads of the coordinator, for example committed offsets. */
    String read(String step) throws Exception {
        String answer;
        try {
            answer = runtime.scheduleReadOperation("read", TP,
                (shard, offset) -> "reads " + shard.records).get();
        } catch (ExecutionException error) {
            answer = "refused: " + error.getCause().getClass().getSimpleName();
        }
        System.out.printf("  %-26s %s%n", step, answer);
        return answer;
    }

    void control(String step, String expected) throws Exception {
        asItMustBe &= read(step).equals(expected);
    }

    void judge(String step, String expected) throws Exception {
        defect |= !read(step).equals(expected);
    }

    /** A broker that was leader, follower and leader again: two loads wait. */
    static StaleLoad twice(String title) throws Exception {
        System.out.println("leader of epoch 1, follower of 2, leader of 3" + title);
        StaleLoad broker = new StaleLoad();
        broker.runtime.scheduleLoadOperation(TP, 1);
        broker.runtime.scheduleUnloadOperation(TP, OptionalInt.of(2));
        broker.runtime.scheduleLoadOperation(TP, 3);
        broker.control("both loads wait", LOADING);
        return broker;
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("leader of epoch 1; the log has a, b, c");
        StaleLoad broker = new StaleLoad();
        broker.runtime.scheduleLoadOperation(TP, 1);
        broker.control("the load waits", LOADING);
        broker.succeed();
        broker.control("the load ends", ALL);

        broker = twice("");
        broker.succeed();
        broker.judge("the load of epoch 1 ends", LOADING);
        broker.succeed();
        broker.control("the load of epoch 3 ends", ALL);

        broker = twice("; the load of epoch 1 fails");
        broker.fail();
        broker.judge("the load of epoch 1 fails", LOADING);
        broker.succeed();
        broker.judge("the load of epoch 3 ends", ALL);
        System.exit(asItMustBe ? defect ? 9 : 0 : 2);
    }
}
