package org.apache.kafka.controller;

import org.apache.kafka.common.utils.Time;

/** A heartbeat comes while the controller looks for sessions that have expired. */
class Tracker {
    private static final long SESSION_NANOS = 9_000_000_000L;

    void run() throws InterruptedException {
        BrokerIdAndEpoch broker = new BrokerIdAndEpoch(1, 7);
        BrokerHeartbeatTracker tracker = new BrokerHeartbeatTracker(Time.SYSTEM, SESSION_NANOS);
        tracker.updateContactTime(broker, System.nanoTime() - SESSION_NANOS - 1);
        Thread handler = new Thread(() -> tracker.updateContactTime(broker));
        handler.start();
        tracker.maybeRemoveExpired();
        handler.join();
        assert tracker.hasValidSession(broker) : "a heartbeat that was recorded is lost";
    }
}
