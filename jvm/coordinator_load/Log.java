package org.apache.kafka.coordinator.common.runtime;

/** The log of the partition on this broker. */
final class Log {
    final int end;
    boolean leads;
    int highWatermark;
    /** The listener that learns each new high watermark, or null. */
    PartitionWriter.Listener listener;

    Log(int end, int highWatermark) {
        this.end = end;
        this.highWatermark = highWatermark;
    }
}
