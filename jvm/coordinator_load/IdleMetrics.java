package org.apache.kafka.coordinator.common.runtime;

import com.yammer.metrics.core.MetricsRegistry;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.timeline.SnapshotRegistry;

/** Metrics that keep nothing. */
final class IdleMetrics extends CoordinatorMetrics {
    @Override
    public CoordinatorMetricsShard newMetricsShard(SnapshotRegistry all, TopicPartition tp) {
        return null;
    }

    @Override
    public void activateMetricsShard(CoordinatorMetricsShard shard) { }

    @Override
    public void deactivateMetricsShard(CoordinatorMetricsShard shard) { }

    /** Until 4.2. */
    public MetricsRegistry registry() {
        return null;
    }

    @Override
    public void onUpdateLastCommittedOffset(TopicPartition tp, long offset) { }
}
