package org.apache.kafka.coordinator.common.runtime;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.deferred.DeferredEventQueue;
import wheelproof.jvm.Harness;
import wheelproof.jvm.Scenario;
import wheelproof.jvm.Shared;
import wheelproof.jvm.Site;

/** A scenario of the runtime for one partition, with the model's events, loads and log. */
final class LoadHarness extends Harness {
    private static final int NONE = -1;
    private static final TopicPartition TP = new TopicPartition("partition", 0);
    private static final Field CONTEXTS = Runtimes.field(CoordinatorRuntime.class, "coordinators");
    private static final Field PENDING = Runtimes.field(DeferredEventQueue.class, "pending");
    /** A field of the correction. */
    private static final Field HEARD =
            Runtimes.field(CoordinatorRuntime.CoordinatorContext.class, "loadingHighWatermark");
    /** What is put -> how the runtime's event is named. */
    private static final Map<String, String> NAMES = Map.of("load", "Load(", "unload", "Unload",
            "complete", "CompleteLoad(", "rise", "HighWatermarkUpdate", "write", "WriteEvent");

    /** What the model knows of the context that an epoch has made. */
    private static final class Leadership {
        CoordinatorRuntime<Shard, String>.CoordinatorContext context;
        /** What its load reads into. The context forgets it when it ends. */
        SnapshottableCoordinator<?, ?> loaded;
        CoordinatorRuntime<?, ?>.HighWatermarkListener listener;
        /** The writes that were taken out of the queue. */
        final List<String> taken = new ArrayList<>();
    }

    final Events events = new Events(this);
    final Loads loads = new Loads(this);
    final Log log;
    private final CoordinatorRuntime<Shard, String> runtime;
    private final Map<?, ?> all = new Contexts<>(this);
    private final Map<Integer, Leadership> leaderships = new TreeMap<>();
    private final Map<String, CoordinatorRuntime<?, ?>.CoordinatorWriteEvent<?>> writes =
            new LinkedHashMap<>();
    /** Thread -> what it is about to put. */
    private final Map<Integer, Object[]> puts = new TreeMap<>();
    /** The event that is handled, as the model writes it. */
    private Object[] handled;

    LoadHarness(Scenario scenario) {
        log = new Log(Integer.parseInt(scenario.value("end")),
                Integer.parseInt(scenario.value("seen")));
        TreeSet<String> names = new TreeSet<>();
        for (String[] operation : scenario.operations()) {
            if (operation[0].equals("lead")) {
                leaderships.put(Integer.parseInt(operation[1]), new Leadership());
            } else if (operation[0].equals("write")) {
                names.add(operation[1]);
            }
        }
        names.forEach(name -> writes.put(name, null));
        runtime = Runtimes.make(this);
        Runtimes.set(CONTEXTS, runtime, all);
    }

    // -- called by the harness's other classes

    /** A step of the model that is the harness's own. */
    void at(String step) {
        step(step);
    }

    /** The running thread is about to put an event. */
    void puts(Object... described) {
        puts.put(thread(), described);
    }

    /** The event that the running thread puts, as the model writes it. */
    Object[] described(CoordinatorEvent event) {
        Object[] described = puts.remove(thread());
        if (!event.toString().contains(NAMES.get((String) described[0]))) {
            throw new IllegalStateException(event + " is no " + described[0]);
        }
        if (event instanceof CoordinatorRuntime<?, ?>.CoordinatorWriteEvent<?> write) {
            writes.put(write.name, write);
        }
        return described;
    }

    void handles(Object[] described) {
        handled = described;
    }

    /** Whether the running thread schedules a load, whose event is yet to come. */
    boolean isSchedule() {
        return puts.containsKey(thread());
    }

    /** The event under way has made this context. */
    @SuppressWarnings("unchecked")
    void makes(Object context) {
        leaderships.get((Integer) handled[1]).context =
                (CoordinatorRuntime<Shard, String>.CoordinatorContext) context;
    }

    /** A load is submitted, of the context that there is now. */
    int loads(CoordinatorPlayback<String> playback) {
        leaderships.get(current()).loaded = (SnapshottableCoordinator<?, ?>) playback;
        return current();
    }

    void listens(PartitionWriter.Listener listener) {
        step("listens");
        log.listener = listener;
        leaderships.get(current()).listener =
                (CoordinatorRuntime<?, ?>.HighWatermarkListener) listener;
    }

    /** The epoch that has made the context that there is now; 0 where none has yet. */
    int current() {
        Object context = all.get(TP);
        for (Map.Entry<Integer, Leadership> entry : leaderships.entrySet()) {
            if (context != null && entry.getValue().context == context) {
                return entry.getKey();
            }
        }
        return 0;
    }

    // -- operations

    @Override
    public Object perform(String[] operation) {
        switch (operation[0]) {
            case "lead" -> {
                step("leads");
                log.leads = true;
                int epoch = Integer.parseInt(operation[1]);
                puts("load", epoch);
                runtime.scheduleLoadOperation(TP, epoch);
            }
            case "follow" -> {
                step("follows");
                log.leads = false;
                resign(Integer.parseInt(operation[1]));
            }
            case "resign" -> resign(Integer.parseInt(operation[1]));
            case "fetch" -> fetch();
            case "load" -> loads.run();
            case "write" -> {
                return write(operation[1]);
            }
            default -> throw new IllegalArgumentException(operation[0]);
        }
        return null;
    }

    private void resign(int epoch) {
        puts("unload", epoch);
        runtime.scheduleUnloadOperation(TP, OptionalInt.of(epoch));
    }

    private void fetch() {
        step("rises");
        long offset = ++log.highWatermark;
        step("hears");
        PartitionWriter.Listener listener = log.listener;
        if (listener != null) {
            puts("rise", ownerOf(listener));
            listener.onHighWatermarkUpdated(TP, offset);
            puts.remove(thread());
        }
    }

    private int ownerOf(PartitionWriter.Listener listener) {
        for (Map.Entry<Integer, Leadership> entry : leaderships.entrySet()) {
            if (listener != null && entry.getValue().listener == listener) {
                return entry.getKey();
            }
        }
        return 0;
    }

    private String write(String name) {
        puts("write", name);
        CompletableFuture<?> future = Runtimes.write(runtime, TP, name);
        step("awaits");
        if (!future.isDone()) {
            step("wakes", future);
        }
        return answer(future);
    }

    private static String answer(CompletableFuture<?> future) {
        return future.isCompletedExceptionally() ? "refused" : (String) future.getNow(null);
    }

    @Override
    public boolean waits(int thread, Site site, Object target, Object[] values) {
        return site.key.equals("harness:wakes") && !((CompletableFuture<?>) values[0]).isDone();
    }

    /** A write leaves its queue in front of its completion, and stays in the class's until then. */
    @Override
    protected void moves(Site site, Object[] values) {
        if (values.length > 0 && values[0] instanceof DeferredEventQueue queue) {
            for (Leadership item : leaderships.values()) {
                if (item.context != null && item.context.deferredEventQueue == queue) {
                    item.taken.add(deferred(item).get(0));
                }
            }
        }
    }

    // -- the model's variables

    @Override
    public void shared(Shared out) {
        out.variable().thread(owner(events.gate));
        out.variable().tuple(events.waiting.size());
        events.waiting.forEach(put -> {
            out.tuple(put.described().length);
            for (Object part : put.described()) {
                if (part instanceof String text) {
                    out.name(text);
                } else if (part instanceof Boolean truth) {
                    out.truth(truth);
                } else {
                    out.number((Integer) part);
                }
            }
        });
        out.variable().truth(events.busy);
        out.variable().thread(owner(loads.lock));
        out.variable().tuple(loads.waiting.size());
        loads.waiting.forEach(load -> out.number(load.context()));
        out.variable().truth(log.leads);
        out.variable().number(log.highWatermark);
        out.variable().number(ownerOf(log.listener));
        out.variable().number(current());
        Collection<Leadership> epochs = leaderships.values();
        out.variable();
        epochs.forEach(item -> out.number(
                item.context == null ? 0 : Math.max(0, item.context.epoch)));
        out.variable();
        epochs.forEach(item -> out.name(
                item.context == null ? "initial" : item.context.state.name().toLowerCase()));
        out.variable();
        epochs.forEach(item -> out.number(
                item.loaded == null ? 0 : item.loaded.lastWrittenOffset()));
        out.variable();
        epochs.forEach(item -> out.number(
                item.loaded == null ? 0 : item.loaded.lastCommittedOffset()));
        out.variable();
        epochs.forEach(item -> out.number(item.context == null || HEARD == null
                ? NONE : (Long) Runtimes.get(HEARD, item.context)));
        out.variable();
        epochs.forEach(item -> out.number(
                item.listener == null ? NONE : item.listener.lastHighWatermark()));
        out.variable();
        epochs.forEach(item -> out.names(deferred(item)));
        out.variable();
        writes.values().forEach(write -> out.name(isDone(write) ? answer(write.future) : null));
        out.variable();
        writes.values().forEach(write -> out.truth(isDone(write)));
    }

    private static boolean isDone(CoordinatorRuntime<?, ?>.CoordinatorWriteEvent<?> write) {
        return write != null && write.future.isDone();
    }

    /** The writes that wait in a context. */
    private static List<String> deferred(Leadership item) {
        List<String> names = new ArrayList<>();
        if (item.context != null) {
            Map<?, ?> pending = (Map<?, ?>) Runtimes.get(PENDING, item.context.deferredEventQueue);
            for (Object collections : pending.values()) {
                for (Object collection : (List<?>) collections) {
                    Field events = Runtimes.field(collection.getClass(), "events");
                    for (Object event : (List<?>) Runtimes.get(events, collection)) {
                        names.add(
                                ((CoordinatorRuntime<?, ?>.CoordinatorWriteEvent<?>) event).name);
                    }
                }
            }
            names.removeAll(item.taken);
        }
        return names;
    }
}
