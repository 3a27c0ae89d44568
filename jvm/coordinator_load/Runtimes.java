package org.apache.kafka.coordinator.common.runtime;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.util.timer.Timer;

/** Makes a runtime of any release, and calls what is not the same in all of them. */
final class Runtimes {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private Runtimes() { }

    /** An object that does nothing and builds a shard; its numbers are 0, so its clock stands. */
    private static <T> T idle(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
            (self, method, arguments) -> {
                Class<?> answer = method.getReturnType();
                if (method.getName().equals("build")) {
                    return new Shard();
                } else if (answer.isPrimitive() && answer != void.class) {
                    return Array.get(Array.newInstance(answer, 1), 0);
                }
                return answer.isInstance(self) ? self : null;
            }));
    }

    /** A writer of which the log has one listener. No write has records. */
    private static PartitionWriter writer(LoadHarness harness) {
        Class<?>[] types = {PartitionWriter.class};
        return (PartitionWriter) Proxy.newProxyInstance(types[0].getClassLoader(), types,
            (self, method, arguments) -> {
                switch (method.getName()) {
                    case "registerListener" ->
                        harness.listens((PartitionWriter.Listener) arguments[1]);
                    case "deregisterListener" -> harness.log.listener = null;
                    default -> throw new UnsupportedOperationException(method.getName());
                }
                return null;
            });
    }

    @SuppressWarnings("unchecked")
    static CoordinatorRuntime<Shard, String> make(LoadHarness harness) {
        CoordinatorShardBuilder<Shard, String> shards = idle(CoordinatorShardBuilder.class);
        Supplier<Integer> bytes = () -> 1024;
        var builder = new CoordinatorRuntime.Builder<Shard, String>()
            .withEventProcessor(harness.events)
            .withPartitionWriter(writer(harness))
            .withLoader(harness.loads)
            .withCoordinatorShardBuilderSupplier(() -> shards)
            .withTime(idle(Time.class))
            .withTimer(idle(Timer.class))
            .withCoordinatorRuntimeMetrics(idle(CoordinatorRuntimeMetrics.class))
            .withCoordinatorMetrics(new IdleMetrics())
            .withSerializer(idle(Serializer.class))
            .withExecutorService(idle(ExecutorService.class));
        Map<String, Object> since43 =
            Map.of("withCachedBufferMaxBytesSupplier", bytes, "withWriteTimeout", TIMEOUT);
        try {
            for (Method method : builder.getClass().getMethods()) {
                if (since43.containsKey(method.getName())) {
                    method.invoke(builder, since43.get(method.getName()));
                }
            }
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
        return builder.build();
    }

    /** A write without records, which is answered. */
    static CompletableFuture<?> write(
            CoordinatorRuntime<Shard, String> runtime, TopicPartition tp, String name) {
        CoordinatorRuntime.CoordinatorWriteOperation<Shard, String, String> operation =
            shard -> new CoordinatorResult<>(List.of(), "answered");
        try {
            for (Method method : CoordinatorRuntime.class.getMethods()) {
                if (method.getName().equals("scheduleWriteOperation")) {
                    Object[] arguments = method.getParameterCount() == 3
                        ? new Object[] {name, tp, operation}
                        : new Object[] {name, tp, TIMEOUT, operation};
                    return (CompletableFuture<?>) method.invoke(runtime, arguments);
                }
            }
            throw new NoSuchMethodException("scheduleWriteOperation");
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    /** A field of a class; null where the release has none. */
    static Field field(Class<?> type, String name) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException error) {
            return null;
        }
    }

    static Object get(Field field, Object object) {
        try {
            return field.get(object);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    static void set(Field field, Object object, Object value) {
        try {
            field.set(object, value);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }
}
