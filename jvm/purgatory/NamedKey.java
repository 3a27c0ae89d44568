package org.apache.kafka.server.purgatory;

/** A key of a scenario. Its hash is the scenario's number, so that it has the model's shard. */
final class NamedKey implements DelayedOperationKey {
    final String name;
    private final int number;

    NamedKey(String name, int number) {
        this.name = name;
        this.number = number;
    }

    @Override
    public String keyLabel() {
        return name;
    }

    @Override
    public int hashCode() {
        return number;
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }
}
