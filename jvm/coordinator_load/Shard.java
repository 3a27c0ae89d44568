package org.apache.kafka.coordinator.common.runtime;

/** The state of a coordinator: how many records were replayed. */
final class Shard implements CoordinatorShard<String> {
    private int records;

    @Override
    public void replay(long offset, long producerId, short producerEpoch, String record) {
        records++;
    }
}
