package org.apache.kafka.coordinator.common.runtime;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;

/** The loads that wait, which the threads of the scenario carry out one by one. */
final class Loads implements CoordinatorLoader<String> {
    /** The load of a context. */
    record Load(int context, CoordinatorPlayback<String> playback,
            CompletableFuture<LoadSummary> future) { }

    final ReentrantLock lock = new ReentrantLock();
    final Deque<Load> waiting = new ArrayDeque<>();
    private final LoadHarness harness;

    Loads(LoadHarness harness) {
        this.harness = harness;
    }

    @Override
    public CompletableFuture<LoadSummary> load(
            TopicPartition tp, CoordinatorPlayback<String> playback) {
        CompletableFuture<LoadSummary> future = new CompletableFuture<>();
        lock.lock();
        harness.at("submits");
        waiting.add(new Load(harness.loads(playback), playback, future));
        lock.unlock();
        return future;
    }

    /** Carries out the first load that waits, if there is one. */
    void run() {
        Load first = null;
        lock.lock();
        if (!waiting.isEmpty()) {
            harness.at("begins_load");
            first = waiting.remove();
        }
        lock.unlock();
        if (first != null) {
            harness.at("looks");
            if (harness.log.leads) {
                read(first.playback());
                harness.puts("complete", first.context(), true);
                first.future().complete(new LoadSummary(0, 0, 0, 0, 0));
            } else {
                harness.puts("complete", first.context(), false);
                first.future().completeExceptionally(new NotLeaderOrFollowerException(""));
            }
        }
    }

    private void read(CoordinatorPlayback<String> playback) {
        harness.at("applies");
        for (int offset = 0; offset < harness.log.end; offset++) {
            playback.replay(offset, -1, (short) -1, "record");
        }
        playback.updateLastWrittenOffset((long) harness.log.end);
        harness.at("reads");
        long offset = harness.log.highWatermark;
        harness.at("commits");
        playback.updateLastCommittedOffset(offset);
    }

    @Override
    public void close() { }
}
