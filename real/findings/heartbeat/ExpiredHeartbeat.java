package org.apache.kafka.controller;

import java.lang.reflect.Proxy;
import org.apache.kafka.common.utils.Time;

/**
 * Removes a broker whose heartbeat comes between the look at its contact time and the removal.
 *
 * Exit codes: 9 the defect is there, 0 it is not, 2 a control failed.
 */
public class ExpiredHeartbeat {
    static final long TIMEOUT = 9;
    static final long NOW = 100;
    static final BrokerIdAndEpoch BROKER = new BrokerIdAndEpoch(1, 7);

    /** A tracker; a request handler's thread runs something at the end of each look. */
    static BrokerHeartbeatTracker tracker(Runnable[] handler) {
        Time time = (Time) Proxy.newProxyInstance(Time.class.getClassLoader(),
            new Class<?>[] {Time.class}, (self, method, arguments) -> NOW);
        return new BrokerHeartbeatTracker(time, TIMEOUT) {
            @Override
            boolean isExpired(long contact, long now) {
                boolean expired = super.isExpired(contact, now);
                Thread thread = new Thread(handler[0]);
                handler[0] = () -> { };
                thread.start();
                try {
                    thread.join();
                } catch (InterruptedException error) {
                    throw new IllegalStateException(error);
                }
                return expired;
            }
        };
    }

    static boolean valid(String title, boolean before, boolean between) {
        Runnable[] handler = {() -> { }};
        BrokerHeartbeatTracker tracker = tracker(handler);
        tracker.updateContactTime(BROKER, NOW - TIMEOUT - 1);
        Runnable heartbeat = () -> tracker.updateContactTime(BROKER, NOW);
        if (before) {
            heartbeat.run();
        }
        if (between) {
            handler[0] = heartbeat;
        }
        boolean expired = tracker.maybeRemoveExpired(NOW).isPresent();
        boolean valid = tracker.hasValidSession(BROKER);
        System.out.printf("%-44s %-11s %s%n", title, expired ? "is expired" : "is kept",
            valid ? "with a session" : "without a session");
        return valid && !expired;
    }

    public static void main(String[] arguments) {
        boolean asItMustBe = !valid("a broker without a heartbeat", false, false);
        asItMustBe &= valid("a broker with a heartbeat before the look", true, false);
        boolean defect = !valid("the heartbeat comes after the look", false, true);
        System.exit(asItMustBe ? defect ? 9 : 0 : 2);
    }
}
