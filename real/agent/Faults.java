package wheelproof.agent;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** Delays on purpose. Each is an event, and the header names what was requested. */
final class Faults {
    private static final int OF = 10_000;
    private static final long NS_PER_MS = 1_000_000;

    private static int each;
    private static long ms;

    private Faults() { }

    static void configure(Options options) {
        each = options.stallEach;
        ms = options.stallMs;
    }

    /** Between the clock read of an add and its link, as a busy machine would. */
    static void stall(Log log, Info timer, Info task) {
        if (each > 0 && Recorder.on && ThreadLocalRandom.current().nextInt(OF) < each) {
            log.event(Kind.FAULT).timer(timer).set(Column.TASK, task.id).set(Column.DELAY, ms)
                .end();
            LockSupport.parkNanos(ms * NS_PER_MS);
        }
    }
}
